package org.sparkrdma.bench.hibench;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.sparkrdma.bench.builtin.Size;
import org.sparkrdma.bench.builtin.Workload;
import org.sparkrdma.it.cluster.ClusterOptions;
import org.sparkrdma.it.cluster.SparkHome;
import org.sparkrdma.it.cluster.StandaloneCluster;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * The command line of run.sh. Exit codes: 0 done, 1 failed, 2 bad arguments, 3 something missing.
 */
@Command(
    name = "integration-tests/hibench/run.sh",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Runs workloads with Spark's sort shuffle and with the RDMA shuffle in turn, compares their "
          + "outputs and writes a report: report.csv, report.md and report.png."
    },
    footer = {
      "",
      "HiBench's own workloads need the environment variables HIBENCH_HOME and SPARK_HOME; the "
          + "built-in ones need neither. docs/hibench.md says more.",
      "Exits with 0 if all ran and all outputs are equal, 1 if something failed, 2 on bad "
          + "arguments, 3 if something that it needs is missing."
    })
final class RunCommand implements Callable<Integer> {

  static final String BUILTIN = "builtin";
  private static final int MAX_ROUNDS = 100;
  private static final int MAX_EXECUTORS = 64;

  @Option(
      names = "--workloads",
      defaultValue = BUILTIN,
      description = {
        "builtin: the six built-in ones; builtin:join,pagerank: some of them; hibench: ten of "
            + "HiBench's; or names of HiBench's: terasort, sort, wordcount, repartition, "
            + "pagerank, join, aggregation, bayes, kmeans, nweight (default: ${DEFAULT-VALUE})."
      })
  private String workloads = BUILTIN;

  @Option(
      names = "--scale",
      defaultValue = "tiny",
      description =
          "tiny, small, large, or for the built-in ones a size such as 500m or 10g for each "
              + "workload; for HiBench's one of its profiles (default: ${DEFAULT-VALUE}).")
  private String scale = "tiny";

  @Option(
      names = "--rounds",
      defaultValue = "1",
      description = "How often each shuffle runs each workload (default: ${DEFAULT-VALUE}).")
  private int rounds;

  @Option(
      names = "--executors",
      defaultValue = "2",
      description = "For the built-in ones, of 1 core each, 2 or more (default: ${DEFAULT-VALUE}).")
  private int executors;

  @Option(
      names = "--fabric",
      defaultValue = "auto",
      description = "For spark.shuffle.rdma.fabric (default: ${DEFAULT-VALUE}).")
  private String fabric = "auto";

  @Option(
      names = "--master",
      description =
          "For the built-in ones, a cluster that is there already; needs --data. Without it, a "
              + "standalone cluster is started on loopback.")
  private @Nullable String master;

  @Option(
      names = "--data",
      description = "With --master, URI of a new folder for input that all executors reach.")
  private @Nullable String data;

  @Option(
      names = "--spark-home",
      description = "Spark 4.2 (default: SPARK_HOME for HiBench, else the build's own).")
  private @Nullable Path sparkHome;

  @Option(names = "--prepare", description = "Run HiBench's prepare.sh for each workload first.")
  private boolean prepare;

  @Option(
      names = "--out",
      required = true,
      description = "A folder for the report, logs and event logs; it must be new or empty.")
  private Path folder = Path.of("");

  @Spec private CommandSpec spec = CommandSpec.create();

  @Override
  public Integer call() throws IOException, InterruptedException {
    check("--rounds", rounds, 1, MAX_ROUNDS);
    check("--executors", executors, 2, MAX_EXECUTORS);
    boolean builtin = workloads.equals(BUILTIN) || workloads.startsWith(BUILTIN + ":");
    List<Workload> chosen = builtin ? builtinWorkloads() : List.of();
    List<HiBenchWorkload> hibench = builtin ? List.of() : hibenchWorkloads();
    if ((master == null) != (data == null)) {
      throw wrong("--master and --data go together");
    }
    PrintStream out = System.out;
    Measurements measurements = builtin ? builtin(chosen, out) : hibench(hibench, out);
    ReportFiles.write(measurements, facts(), folder.toAbsolutePath(), out);
    List<String> failures = measurements.failures();
    failures.forEach(failure -> System.err.println("FAILED: " + failure));
    return failures.isEmpty() ? CommandLine.ExitCode.OK : CommandLine.ExitCode.SOFTWARE;
  }

  private List<Workload> builtinWorkloads() {
    try {
      Size.of(scale);
      return workloads.equals(BUILTIN)
          ? List.of(Workload.values())
          : Arrays.stream(workloads.substring(BUILTIN.length() + 1).split(",", -1))
              .map(Workload::of)
              .toList();
    } catch (IllegalArgumentException e) {
      throw wrong(e.getMessage());
    }
  }

  private List<HiBenchWorkload> hibenchWorkloads() {
    try {
      return HiBenchWorkload.of(workloads);
    } catch (IllegalArgumentException e) {
      throw wrong(e.getMessage());
    }
  }

  private Measurements builtin(List<Workload> chosen, PrintStream out)
      throws IOException, InterruptedException {
    Path home = makeFolder();
    String masterUrl = master;
    String dataUri = data;
    if (masterUrl != null && dataUri != null) {
      Path spark = requiredSparkHome();
      return new BuiltinRun(
              Submitter.to(masterUrl, spark, home.resolve("logs")), plan(chosen, dataUri), out)
          .run();
    }
    SparkHome spark = sparkHome == null ? SparkHome.ofBuild() : new SparkHome(sparkHome);
    out.println("starting a Spark master and " + executors + " workers");
    try (StandaloneCluster cluster =
        StandaloneCluster.start(spark, ClusterOptions.ofWorkers(executors))) {
      String input = cluster.directory().resolve("data").toUri().toString();
      return new BuiltinRun(Submitter.to(cluster), plan(chosen, input), out).run();
    }
  }

  private BuiltinRun.Plan plan(List<Workload> chosen, String dataUri) {
    return new BuiltinRun.Plan(
        chosen,
        scale,
        rounds,
        executors,
        fabric,
        BuiltFiles.applicationJar(),
        BuiltFiles.shuffleJar(),
        dataUri.replaceFirst("/+$", ""),
        folder.toAbsolutePath());
  }

  private Measurements hibench(List<HiBenchWorkload> chosen, PrintStream out)
      throws IOException, InterruptedException {
    HiBenchHome home = Preflight.check(System.getenv(), sparkHome);
    makeFolder();
    return new HiBenchRun(
            home, chosen, scale, rounds, fabric, prepare, folder.toAbsolutePath(), out)
        .run();
  }

  private Path requiredSparkHome() throws MissingException {
    String variable = System.getenv("SPARK_HOME");
    Path home = sparkHome != null ? sparkHome : variable == null ? null : Path.of(variable);
    if (home == null || !Files.isExecutable(home.resolve("bin/spark-submit"))) {
      throw new MissingException(
          List.of("--master needs Spark's bin/spark-submit: set SPARK_HOME or give --spark-home"));
    }
    return home;
  }

  private Path makeFolder() throws IOException {
    Files.createDirectories(folder);
    try (var entries = Files.list(folder)) {
      if (entries.findAny().isPresent()) {
        throw wrong("--out " + folder + " isn't empty");
      }
    }
    return folder.toAbsolutePath();
  }

  private Map<String, String> facts() {
    Map<String, String> facts = new LinkedHashMap<>();
    facts.put("workloads", workloads + ", scale " + scale + ", rounds " + rounds);
    facts.put("fabric", fabric);
    facts.put("cluster", master != null ? master : executors + " executors on loopback");
    facts.put(
        "this machine",
        Runtime.getRuntime().availableProcessors() + " cores, Java " + Runtime.version());
    return facts;
  }

  private void check(String name, int value, int least, int most) {
    if (value < least || value > most) {
      throw wrong(name + " must be " + least + " to " + most + ", not " + value);
    }
  }

  private ParameterException wrong(@Nullable String message) {
    return new ParameterException(spec.commandLine(), String.valueOf(message));
  }
}
