package org.sparkrdma.bench.wire;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.sparkrdma.bench.Comparison;
import org.sparkrdma.bench.MeasuringProcess;
import org.sparkrdma.bench.Results;
import org.sparkrdma.bench.RunOptions;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The command line of {@code ./bench wire}. */
@Command(
    name = "wire",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Reads by the Java verbs library and by perftest's ib_read_bw and ib_read_lat, in turn on "
          + "the same device: as many queue pairs, the same size and number of outstanding reads, "
          + "sleeping until completion events. Without --address it boots the test kernel, which "
          + "has soft RDMA devices."
    },
    footer = {
      "",
      "Ratios are ours / perftest: bandwidth should be at least 0.98 of perftest's at 1 MiB and "
          + "0.95 at 64 KiB, and so the rate of 16-byte reads; latency at most 1.25 times "
          + "perftest's. Each is the median over the rounds, with the least and the most beside it.",
      "The last lines are for programs: RATIO wire.DRIVER.CASE VALUE.",
      "Exits with 0 when all was measured, aims reached or not; 1 if it failed, 2 on bad "
          + "arguments, 3 if a program or the test kernel is missing."
    })
public final class WireCommand implements Callable<Integer> {

  private static final int MAX_OUTSTANDING = 128;
  private static final int SECONDS_PER_ROUND = 240;

  @Mixin private RunOptions options = new RunOptions();

  @Option(
      names = "--outstanding",
      defaultValue = "16",
      description = "Reads on the wire at a time, perftest's -o (default: ${DEFAULT-VALUE}).")
  private int outstanding;

  @Override
  public Integer call() throws IOException, InterruptedException {
    options.check();
    options.check("--outstanding", outstanding, MAX_OUTSTANDING);
    List<String> missing = Perftest.missing();
    if (!missing.isEmpty()) {
      System.err.println(
          "bench: PATH has no "
              + String.join(", ", missing)
              + ". Install perftest (Debian and Ubuntu: apt-get install perftest; Fedora: dnf "
              + "install perftest); nice and stdbuf are of coreutils.");
      return MeasuringProcess.MISSING;
    }
    int rounds = options.rounds();
    MeasuringProcess process =
        options.address().isPresent()
            ? MeasuringProcess.here()
            : MeasuringProcess.inTestKernel(options.driver(), (rounds + 1) * SECONDS_PER_ROUND);
    List<String> arguments = new ArrayList<>();
    arguments.addAll(List.of("--address", options.address().orElse(MeasuringProcess.TEST_ADDRESS)));
    arguments.addAll(List.of("--rounds", Integer.toString(rounds)));
    arguments.addAll(List.of("--outstanding", Integer.toString(outstanding)));
    if (options.quick()) {
      arguments.add("--quick");
    }
    int status = process.run("wire-measure", arguments);
    if (status == 0) {
      Comparison comparison =
          new Comparison(
              "wire." + process.link(),
              new Comparison.Sides(Tool.PERFTEST.label(), Tool.OURS.label()),
              WireCase.compared(),
              process.samples());
      Results.report("wire", process.link(), List.of(comparison));
    }
    return status;
  }
}
