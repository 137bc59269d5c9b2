package org.sparkrdma.bench.fetch;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.sparkrdma.bench.JavaCommand;
import org.sparkrdma.bench.MeasuringProcess;
import org.sparkrdma.bench.Results;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command line of {@code ./bench fetch}. */
@Command(
    name = "fetch",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Fetches shuffle blocks from another process of this machine, in turn by Spark's block "
          + "transfer (netty), by this shuffle's client over the software fabric, reading the other "
          + "process's memory (local) and over TCP (tcp), and by a bare copy from the mapped files "
          + "(floor). Blocks of 4 KiB, 64 KiB, 1 MiB and a mix, from files in the page cache."
    },
    footer = {
      "",
      "Ratios say how many times better ours is than netty: throughput, and CPU time of both "
          + "processes for each GiB. Those of server_cpu are the share of one core that the "
          + "serving process took. Each is the median over the rounds, with the least and the "
          + "most beside it.",
      "The last lines are for programs: RATIO fetch.SIDE.SIZE.FIGURE VALUE.",
      "Exits with 0 when all was measured, aims reached or not; 1 if it failed, 2 on bad "
          + "arguments."
    })
public final class FetchCommand implements Callable<Integer> {

  private static final int MAX_ROUNDS = 100;
  private static final int QUICK_ROUNDS = 3;
  private static final int DEFAULT_ROUNDS = 9;
  private static final long BYTES = 256 << 20;

  /** Of each process, which is like a small executor. */
  static final String MAX_HEAP = "1g";

  @Mixin private FabricOptions fabric = new FabricOptions();

  @Mixin private SizeOptions sizes = new SizeOptions();

  @Option(
      names = "--rounds",
      description = "How often each case is measured by each, in turn (default: 9; --quick: 3).")
  private @Nullable Integer rounds;

  @Option(names = "--quick", description = "Fewer rounds, each of less.")
  private boolean quick;

  @Option(
      names = "--folder",
      description =
          "Where the files are made (default: the system's folder for temporary files). They take "
              + "1 GB, of the page cache as well.")
  private Path folder = Path.of(System.getProperty("java.io.tmpdir"));

  @Spec private CommandSpec spec = CommandSpec.create();

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (!Files.isDirectory(folder)) {
      throw wrong("--folder must be an existing folder, not " + folder);
    }
    MeasuringProcess process = MeasuringProcess.here();
    List<String> words = new ArrayList<>(JavaCommand.withSpark("fetch-measure", MAX_HEAP));
    words.addAll(fabric.words());
    words.addAll(sizes.words());
    words.addAll(List.of("--folder", folder.toString(), "--rounds", Integer.toString(rounds())));
    words.addAll(List.of("--bytes", Long.toString(BYTES)));
    words.addAll(List.of("--least-millis", quick ? "200" : "500"));
    words.addAll(List.of("--warm-up-millis", quick ? "1000" : "3000"));
    int status = process.run(words);
    if (status == 0) {
      System.out.println();
      System.out.print(new FigureTable(process.samples()).text());
      Results.report(
          "fetch",
          process.link(),
          FetchComparisons.of(fabric.sides(), sizes.all(), process.samples()));
    }
    return status;
  }

  private int rounds() {
    if (rounds == null) {
      return quick ? QUICK_ROUNDS : DEFAULT_ROUNDS;
    }
    if (rounds < 1 || rounds > MAX_ROUNDS) {
      throw wrong("--rounds must be 1 to " + MAX_ROUNDS + ", not " + rounds);
    }
    return rounds;
  }

  private ParameterException wrong(String message) {
    return new ParameterException(spec.commandLine(), message);
  }
}
