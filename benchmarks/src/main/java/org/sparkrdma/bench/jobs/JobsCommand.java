package org.sparkrdma.bench.jobs;

import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.sparkrdma.bench.Progress;
import org.sparkrdma.bench.Results;
import org.sparkrdma.it.cluster.ClusterOptions;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command line of {@code ./bench jobs}. */
@Command(
    name = "jobs",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Whole Spark jobs on two executors of one core each, on a standalone cluster of real "
          + "processes on this machine: with Spark's sort shuffle over TCP, with Spark's reading "
          + "of files on the same host, and with the RDMA shuffle, in turn."
    },
    footer = {
      "",
      "Ratios are ours / Spark's: below 1, ours is faster. Each is the median over the rounds, "
          + "with the least and the most, and a 95 %% confidence interval beside it.",
      "The last lines are for programs: RATIO jobs.WORKLOAD.SHAPE.FIGURE VALUE.",
      "Exits with 0 when all was measured, aims reached or not; 1 if it failed, the outputs "
          + "differ or blocks came by another way than was meant; 2 on bad arguments."
    })
public final class JobsCommand implements Callable<Integer> {

  private static final int EXECUTORS = 2;
  private static final int MAX_ROUNDS = 100;
  private static final long BYTES = 1L << 30;
  private static final int QUICK_DIVISOR = 8;
  private static final int EXECUTOR_MEMORY_MIB = 2048;

  @Option(
      names = "--workloads",
      split = ",",
      defaultValue = "terasort,groupby",
      description =
          "Some of terasort, groupby, repartition, pagerank, join (default: ${DEFAULT-VALUE}).")
  private List<String> workloads = List.of();

  @Option(
      names = "--shapes",
      split = ",",
      defaultValue = "128x128",
      description =
          "MAPSxREDUCERS of the shuffles; 32x32, 128x128 and 512x512 have blocks of 1 MiB, 64 KiB "
              + "and 4 KiB (default: ${DEFAULT-VALUE}).")
  private List<String> shapes = List.of();

  @Option(
      names = "--rounds",
      description = "How often each side runs each job (default: 5; --quick: 2).")
  private @Nullable Integer rounds;

  @Option(
      names = "--quick",
      description = "A look: 2 rounds of an eighth of the data, so with smaller blocks.")
  private boolean quick;

  @Option(names = "--full", description = "All workloads in all three shapes: over an hour.")
  private boolean full;

  @Option(
      names = "--fabric",
      defaultValue = "software",
      description = "For spark.shuffle.rdma.fabric (default: ${DEFAULT-VALUE}).")
  private String fabric = "software";

  @Option(
      names = "--conf",
      paramLabel = "KEY=VALUE",
      description = "A setting for ours alone, to see what it changes; may be repeated.")
  private Map<String, String> more = Map.of();

  @Option(
      names = "--folder",
      description =
          "Where the cluster's files are, the shuffles' too (default: the system's folder for "
              + "temporary files). They need 4 GB.")
  private @Nullable Path folder;

  @Option(
      names = "--recordings",
      description =
          "An existing folder for Java Flight Recorder's recordings of the executors; recording "
              + "costs some time on all sides.")
  private @Nullable Path recordings;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Override
  public Integer call() throws IOException, InterruptedException {
    Matrix matrix = matrix();
    JobRuns runs;
    PrintStream out = System.out;
    try (Progress progress = new Progress(out)) {
      runs = new JobRuns(matrix.run(progress));
    }
    report(runs);
    List<String> failures = runs.failures();
    failures.forEach(failure -> System.err.println("FAILED: " + failure));
    return failures.isEmpty() ? CommandLine.ExitCode.OK : CommandLine.ExitCode.SOFTWARE;
  }

  private Matrix matrix() {
    List<JobWorkload> chosen =
        full ? List.of(JobWorkload.values()) : parse(workloads, JobWorkload::of);
    List<Shape> sizes = parse(full ? List.of("32x32", "128x128", "512x512") : shapes, Shape::of);
    int count = rounds != null ? rounds : quick ? 2 : 5;
    if (count < 1 || count > MAX_ROUNDS) {
      throw wrong("--rounds must be 1 to " + MAX_ROUNDS + ", not " + count);
    }
    checkFolder(folder);
    checkFolder(recordings);
    ClusterOptions options = ClusterOptions.ofWorkers(EXECUTORS);
    return new Matrix(
        chosen.stream()
            .flatMap(workload -> sizes.stream().map(shape -> new JobPlan(workload, shape)))
            .toList(),
        count,
        quick ? BYTES / QUICK_DIVISOR : BYTES,
        EXECUTORS,
        new ClusterOptions(
            // One: Spark takes those of several for different hosts, with no files in common.
            1,
            // Each side's application has its executors throughout.
            Side.values().length * EXECUTORS,
            Side.values().length * EXECUTORS * EXECUTOR_MEMORY_MIB,
            folder == null ? options.parent() : folder.toAbsolutePath(),
            false),
        conf());
  }

  private void checkFolder(@Nullable Path path) {
    if (path != null && !Files.isDirectory(path)) {
      throw wrong(path + " must be an existing folder");
    }
  }

  private <T> List<T> parse(List<String> words, Function<String, T> meaning) {
    try {
      return words.stream().map(meaning).distinct().toList();
    } catch (IllegalArgumentException e) {
      throw wrong(String.valueOf(e.getMessage()));
    }
  }

  private ParameterException wrong(String message) {
    return new ParameterException(spec.commandLine(), message);
  }

  private Map<Side, Map<String, String>> conf() {
    Map<Side, Map<String, String>> conf = new EnumMap<>(Side.class);
    for (Side side : Side.values()) {
      Map<String, String> settings = side.conf(fabric);
      if (side == Side.OURS) {
        settings.putAll(more);
      }
      if (recordings != null) {
        settings.put(
            "spark.executor.extraJavaOptions",
            "-XX:StartFlightRecording=settings=profile,filename="
                + recordings.toAbsolutePath().resolve(side.label() + "-%p.jfr"));
      }
      conf.put(side, settings);
    }
    return conf;
  }

  private static void report(JobRuns runs) throws IOException {
    JobTables tables = new JobTables(runs);
    System.out.println();
    tables.comparison().forEach(System.out::println);
    tables.stages().forEach(System.out::println);
    System.out.println();
    Path csv = Results.folder().resolve("jobs.csv");
    JobsCsv.write(runs, csv);
    System.out.println("samples: " + csv);
    Path chart = Results.folder().resolve("jobs.png");
    try {
      JobsChart.write(runs, chart);
      System.out.println("chart:   " + chart);
    } catch (IOException | UncheckedIOException | UnsatisfiedLinkError e) {
      System.out.println(
          "chart:   none (" + e + "); Java needs fontconfig and libfreetype to draw");
    }
    System.out.println();
    tables.ratioLines().forEach(System.out::println);
    System.out.flush();
  }
}
