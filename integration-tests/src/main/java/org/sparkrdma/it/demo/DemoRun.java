package org.sparkrdma.it.demo;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.sparkrdma.it.cluster.StandaloneCluster;
import org.sparkrdma.it.cluster.Submission;
import org.sparkrdma.it.terasort.Report;
import org.sparkrdma.it.terasort.TeraSortApp;
import org.sparkrdma.it.terasort.Totals;

/** The demo's work on a running cluster: generate once, then sort by both shuffles in turn. */
final class DemoRun {

  private static final long RECORDS_PER_MEGABYTE = 10_000;
  private static final long SEED = 20260101;

  /** Small inputs still make hundreds of remote blocks: 16 maps, 32 ranges, half of it remote. */
  private static final int MIN_MAPS = 16;

  private static final int MIN_RANGES = 32;
  private static final int MAX_PARTITIONS = 2000;

  /** A range is sorted in a 1 GiB executor's memory without spilling. */
  private static final int MEGABYTES_PER_PARTITION = 64;

  private final DemoCommand options;
  private final DemoFiles files;
  private final StandaloneCluster cluster;
  private final Progress progress;
  private final int maps;
  private final int ranges;
  private final String input;

  DemoRun(DemoCommand options, DemoFiles files, StandaloneCluster cluster, Progress progress)
      throws IOException {
    this.options = options;
    this.files = files;
    this.cluster = cluster;
    this.progress = progress;
    int wanted = (int) (options.megabytes() / MEGABYTES_PER_PARTITION);
    this.maps = Math.clamp(wanted, MIN_MAPS, MAX_PARTITIONS);
    this.ranges = Math.clamp(wanted, MIN_RANGES, MAX_PARTITIONS);
    Path data = Files.createDirectory(cluster.directory().resolve("data"));
    this.input = data.resolve("input").toUri().toString();
  }

  Comparison compare() throws IOException, InterruptedException {
    progress.step(options.megabytes() + " MB: generating records");
    Totals generated = generate();
    List<Round> rounds = new ArrayList<>();
    for (int round = 1; round <= options.rounds(); round++) {
      String prefix = options.rounds() == 1 ? "" : "round " + round + ": ";
      progress.step(prefix + "sorting with Spark's sort shuffle over TCP");
      Report sort = sort(round, "sort", generated, List.of(), Map.of());
      progress.step(prefix + "sorting with the RDMA shuffle");
      Report rdma =
          sort(
              round,
              "rdma",
              generated,
              List.of(files.shuffleJar()),
              Map.of(
                  "spark.shuffle.manager", options.manager(),
                  "spark.shuffle.rdma.fabric", options.fabric()));
      rounds.add(new Round(sort, rdma));
    }
    return new Comparison(rounds);
  }

  private Totals generate() throws IOException, InterruptedException {
    long records = options.megabytes() * RECORDS_PER_MEGABYTE;
    Path report = cluster.directory().resolve("generate.properties");
    List<String> arguments =
        List.of(
            "generate",
            input,
            Integer.toString(maps),
            Long.toString(records),
            Long.toString(SEED),
            report.toString());
    run("generate", List.of(), Map.of(), arguments);
    Totals generated = Report.load(report).totals();
    if (generated.records() != records) {
      throw new IOException("generated " + generated + " instead of " + records + " records");
    }
    return generated;
  }

  private Report sort(
      int round, String name, Totals expected, List<Path> jars, Map<String, String> conf)
      throws IOException, InterruptedException {
    String run = name + "-" + round;
    Path report = cluster.directory().resolve(run + ".properties");
    String output = cluster.directory().resolve("data").resolve(run).toUri().toString();
    List<String> arguments =
        List.of(
            "sort",
            input,
            Integer.toString(maps),
            output,
            Integer.toString(ranges),
            Long.toString(expected.records()),
            Long.toString(expected.checksum()),
            report.toString());
    run(run, jars, conf, arguments);
    return Report.load(report);
  }

  private void run(String name, List<Path> jars, Map<String, String> conf, List<String> arguments)
      throws IOException, InterruptedException {
    Map<String, String> all = new HashMap<>(conf);
    all.put("spark.app.name", "demo-" + name);
    all.put("spark.serializer", "org.apache.spark.serializer.KryoSerializer");
    all.put("spark.executor.cores", "1");
    all.put("spark.cores.max", Integer.toString(options.executors()));
    // Only to end what hangs: 1 MB/s is slow for any disk, and a busy machine starts slowly.
    Duration timeout = Duration.ofSeconds(300 + options.megabytes());
    cluster
        .submit(
            new Submission(
                name,
                TeraSortApp.class.getName(),
                files.workloadsJar(),
                jars,
                all,
                arguments,
                timeout))
        .awaitSuccess();
  }
}
