package org.sparkrdma.it.demo;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.sparkrdma.it.cluster.ClusterOptions;
import org.sparkrdma.it.cluster.StandaloneCluster;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The command line of {@code ./demo}. Exit codes: 0 done, 1 failed, 2 bad arguments. */
@Command(
    name = "demo",
    mixinStandardHelpOptions = true,
    versionProvider = DemoVersion.class,
    sortOptions = false,
    description = {
      "Sorts the same records with Spark's sort shuffle over TCP and with the RDMA shuffle, on a "
          + "real standalone cluster of separate processes on this machine, validates the result "
          + "and compares."
    },
    footer = {
      "",
      "The last line is for programs: RESULT validated=... records=... read_blocks=... "
          + "tcp_blocks=... read_bytes=... sort_seconds=... rdma_seconds=... "
          + "With several rounds, blocks and bytes are sums and seconds are medians.",
      "Exits with 1 if the result isn't valid or no block came by READ, with 2 on bad arguments."
    })
final class DemoCommand implements Callable<Integer> {

  private static final long MAX_MEGABYTES = 1_000_000;
  private static final int MAX_EXECUTORS = 64;
  private static final int MAX_ROUNDS = 100;
  private static final List<String> FABRICS = List.of("auto", "software", "verbs");

  /** Input, one output for each sort, and the shuffle files of the sort that runs. */
  private static final long BYTES_PER_MEGABYTE_AND_COPY = 1_100_000;

  @Parameters(
      arity = "0..1",
      paramLabel = "MEGABYTES",
      defaultValue = "100",
      description = "How much to sort, in MB of 100-byte records (default: ${DEFAULT-VALUE}).")
  private long megabytes;

  @Option(
      names = "--fabric",
      defaultValue = "auto",
      description =
          "The network of one-sided reads: auto, software or verbs (default: ${DEFAULT-VALUE}).")
  private String fabric = "auto";

  @Option(
      names = "--executors",
      defaultValue = "2",
      description = "Executors of 1 core and 1 GiB each, 2 or more (default: ${DEFAULT-VALUE}).")
  private int executors;

  @Option(
      names = "--rounds",
      defaultValue = "1",
      description = "How often each shuffle sorts, in turn (default: ${DEFAULT-VALUE}).")
  private int rounds;

  @Option(names = "--keep", description = "Keep logs and files, and say where they are.")
  private boolean keep;

  /** For tests: any manager can take the RDMA shuffle's place. */
  @Option(
      names = "--manager",
      hidden = true,
      defaultValue = "org.apache.spark.shuffle.rdma.RdmaShuffleManager")
  private String manager = "";

  @Spec private CommandSpec spec = CommandSpec.create();

  long megabytes() {
    return megabytes;
  }

  String fabric() {
    return fabric;
  }

  int executors() {
    return executors;
  }

  int rounds() {
    return rounds;
  }

  String manager() {
    return manager;
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    checkArguments();
    PrintStream out = System.out;
    Path temporary = Path.of(System.getProperty("java.io.tmpdir"));
    checkSpace(temporary);
    DemoFiles files = DemoFiles.ofProperties();
    ClusterOptions options = ClusterOptions.ofWorkers(executors).withKeep(keep);
    Comparison comparison;
    try (Progress progress = new Progress(out, Boolean.getBoolean("sparkrdma.demo.terminal"))) {
      progress.step("starting a Spark master and " + executors + " workers");
      try (StandaloneCluster cluster = StandaloneCluster.start(files.sparkHome(), options)) {
        if (keep) {
          progress.step("logs and files stay in " + cluster.directory());
        }
        comparison = new DemoRun(this, files, cluster, progress).compare();
        progress.step("stopping the cluster");
      }
    }
    List<String> failures = comparison.failures();
    out.println();
    out.print(comparison.table());
    out.println();
    failures.forEach(failure -> System.err.println("FAILED: " + failure));
    System.err.flush();
    out.println(comparison.result());
    out.flush();
    return failures.isEmpty() ? 0 : CommandLine.ExitCode.SOFTWARE;
  }

  private void checkArguments() {
    check("MEGABYTES", megabytes, 1, MAX_MEGABYTES);
    check("--executors", executors, 2, MAX_EXECUTORS);
    check("--rounds", rounds, 1, MAX_ROUNDS);
    if (!FABRICS.contains(fabric)) {
      throw new ParameterException(
          spec.commandLine(), "--fabric must be auto, software or verbs, not " + fabric);
    }
  }

  private void check(String name, long value, long least, long most) {
    if (value < least || value > most) {
      throw new ParameterException(
          spec.commandLine(), name + " must be " + least + " to " + most + ", not " + value);
    }
  }

  private void checkSpace(Path temporary) throws IOException {
    long needed = megabytes * BYTES_PER_MEGABYTE_AND_COPY * (2 + 2L * rounds);
    long usable = Files.getFileStore(temporary).getUsableSpace();
    if (usable < needed) {
      throw new IOException(
          "sorting "
              + megabytes
              + " MB needs "
              + needed / 1_000_000
              + " MB free in "
              + temporary
              + ", which has "
              + usable / 1_000_000
              + "; sort less, or name another folder by TMPDIR");
    }
  }
}
