package org.sparkrdma.bench.register;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.sparkrdma.bench.Comparison;
import org.sparkrdma.bench.MeasuringProcess;
import org.sparkrdma.bench.Results;
import org.sparkrdma.bench.RunOptions;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The command line of {@code ./bench register}. */
@Command(
    name = "register",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "What registering shuffle files costs: by the shuffle's own registry, and by mmap and "
          + "ibv_reg_mr alone, in turn on the same files; and for small files, whether mapping or "
          + "copying is faster. Without --address or --software it boots the test kernel, which "
          + "has soft RDMA devices."
    },
    footer = {
      "",
      "The ratios of SIZE.time are ours / bare and should be at most 1.10. Those of copy.SIZE are "
          + "map / copy: above 1, a copy is faster. Each is the median over the rounds, with the "
          + "least and the most beside it.",
      "The last lines are for programs: RATIO register.DRIVER.CASE VALUE.",
      "Exits with 0 when all was measured, aims reached or not; 1 if it failed, 2 on bad "
          + "arguments, 3 if the test kernel is missing."
    })
public final class RegisterCommand implements Callable<Integer> {

  private static final int SECONDS_PER_ROUND = 60;
  private static final int BOOT_SECONDS = 300;

  @Mixin private RunOptions options = new RunOptions();

  @Option(
      names = "--software",
      description = "Without RDMA: the software fabric, beside mmap alone; no kernel is booted.")
  private boolean software;

  @Option(
      names = "--folder",
      description =
          "Where the files are made, with --address or --software (default: the system's folder "
              + "for temporary files). It needs 200 MB.")
  private @Nullable Path folder;

  @Override
  public Integer call() throws IOException, InterruptedException {
    options.check();
    boolean boots = !software && options.address().isEmpty();
    if (software && options.address().isPresent()) {
      throw options.wrong("--software and --address exclude each other");
    }
    if (folder != null && (boots || !Files.isDirectory(folder))) {
      throw options.wrong(
          boots
              ? "--folder needs --address or --software"
              : "--folder must be an existing folder, not " + folder);
    }
    int rounds = options.rounds();
    MeasuringProcess process =
        boots
            ? MeasuringProcess.inTestKernel(
                options.driver(), BOOT_SECONDS + rounds * SECONDS_PER_ROUND)
            : MeasuringProcess.here();
    int status = process.run("register-measure", arguments(rounds));
    if (status == 0) {
      String name = "register." + process.link();
      Results.report(
          "register",
          process.link(),
          List.of(
              new Comparison(
                  name,
                  RegisterCases.REGISTERING,
                  RegisterCases.registering(!software),
                  process.samples()),
              new Comparison(
                  name, RegisterCases.COPYING, RegisterCases.copying(), process.samples())));
    }
    return status;
  }

  private List<String> arguments(int rounds) {
    List<String> arguments = new ArrayList<>(List.of("--rounds", Integer.toString(rounds)));
    if (!software) {
      arguments.addAll(
          List.of("--address", options.address().orElse(MeasuringProcess.TEST_ADDRESS)));
    }
    if (folder != null) {
      arguments.addAll(List.of("--folder", folder.toString()));
    }
    if (options.quick()) {
      arguments.add("--quick");
    }
    return arguments;
  }
}
