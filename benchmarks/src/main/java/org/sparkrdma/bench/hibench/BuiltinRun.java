package org.sparkrdma.bench.hibench;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.sparkrdma.bench.builtin.BuiltinApp;
import org.sparkrdma.bench.builtin.Size;
import org.sparkrdma.bench.builtin.Workload;
import org.sparkrdma.bench.eventlog.EventLog;
import org.sparkrdma.it.cluster.Submission;
import org.sparkrdma.it.terasort.Report;

/**
 * The built-in workloads on a running cluster: the input once, then for each round an application
 * of all workloads with each manager in turn.
 */
final class BuiltinRun {

  private static final long POLL_MILLIS = 100;
  private static final Duration TIMEOUT = Duration.ofHours(12);

  private final Submitter submitter;
  private final Plan plan;
  private final PrintStream out;
  private int done;

  /**
   * What is run.
   *
   * @param applicationJar this module's jar
   * @param data URI of a new folder, which all executors reach
   * @param folder an existing local folder for logs and reports
   * @param executors of one core each
   */
  record Plan(
      List<Workload> workloads,
      String scale,
      int rounds,
      int executors,
      String fabric,
      Path applicationJar,
      Path shuffleJar,
      String data,
      Path folder) {

    Plan {
      workloads = List.copyOf(workloads);
      // Refuses a bad one here, not in the application.
      Size.of(scale);
    }

    String labels() {
      return workloads.stream().map(Workload::label).collect(Collectors.joining(","));
    }
  }

  BuiltinRun(Submitter submitter, Plan plan, PrintStream out) {
    this.submitter = submitter;
    this.plan = plan;
    this.out = out;
  }

  Measurements run() throws IOException, InterruptedException {
    out.println("generating the input, scale " + plan.scale());
    submit(
        "generate",
        Map.of(),
        List.of(),
        List.of("generate", plan.data(), plan.scale(), plan.labels()));
    List<Measurement> measured = new ArrayList<>();
    for (int round = 1; round <= plan.rounds(); round++) {
      for (Manager manager : Manager.turns(round)) {
        measured.addAll(run(manager, round));
      }
    }
    return new Measurements(measured, _ -> 0);
  }

  private List<Measurement> run(Manager manager, int round)
      throws IOException, InterruptedException {
    String name = manager.label() + "-" + round;
    Path logs = Files.createDirectories(plan.folder().resolve("event-logs").resolve(name));
    Path progress = plan.folder().resolve(name + ".progress");
    Path reportFile = plan.folder().resolve(name + ".properties");
    Map<String, String> conf = new HashMap<>(manager.conf(plan.fabric()));
    conf.putAll(Manager.eventLogConf(logs));
    Submitter.Running running =
        start(
            name,
            conf,
            manager.jars(plan.shuffleJar()),
            List.of(
                "run",
                plan.data(),
                plan.scale(),
                plan.labels(),
                progress.toString(),
                reportFile.toString()));
    follow(running, progress, manager, round);
    finish(name, running);
    return measurements(manager, round, Report.load(reportFile), EventLog.read(onlyFile(logs)));
  }

  private void submit(
      String name, Map<String, String> conf, List<Path> jars, List<String> arguments)
      throws IOException, InterruptedException {
    finish(name, start(name, conf, jars, arguments));
  }

  private Submitter.Running start(
      String name, Map<String, String> conf, List<Path> jars, List<String> arguments)
      throws IOException, InterruptedException {
    Map<String, String> all = new HashMap<>(conf);
    all.put("spark.app.name", "workloads-" + name);
    all.put("spark.serializer", "org.apache.spark.serializer.KryoSerializer");
    all.put("spark.executor.cores", "1");
    all.put("spark.cores.max", Integer.toString(plan.executors()));
    all.put("spark.sql.shuffle.partitions", Integer.toString(Size.of(plan.scale()).partitions()));
    // Else the smaller table would be sent to all, and nothing shuffled.
    all.put("spark.sql.autoBroadcastJoinThreshold", "-1");
    return submitter.submit(
        new Submission(
            name,
            BuiltinApp.class.getName(),
            plan.applicationJar(),
            jars,
            all,
            arguments,
            TIMEOUT));
  }

  private static void finish(String name, Submitter.Running running)
      throws IOException, InterruptedException {
    int exit = running.exit().await();
    if (exit != 0) {
      List<String> lines = Files.readAllLines(running.log(), StandardCharsets.UTF_8);
      throw new IOException(
          "the application "
              + name
              + " failed with exit code "
              + exit
              + ". The end of its log:\n"
              + String.join("\n", lines.subList(Math.max(0, lines.size() - 40), lines.size())));
    }
  }

  /** Says which workload the application is at, until its end. */
  private void follow(Submitter.Running running, Path progress, Manager manager, int round)
      throws IOException, InterruptedException {
    int total = plan.workloads().size() * 2 * plan.rounds();
    int said = 0;
    boolean alive = true;
    while (alive) {
      alive = running.driver().isAlive();
      List<String> begun =
          Files.exists(progress) ? Files.readAllLines(progress, StandardCharsets.UTF_8) : List.of();
      for (; said < begun.size(); said++) {
        done++;
        out.println(
            "["
                + done
                + "/"
                + total
                + "] "
                + begun.get(said)
                + " "
                + manager.label()
                + " round "
                + round);
      }
      Thread.sleep(POLL_MILLIS);
    }
  }

  private static Path onlyFile(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      List<Path> found =
          files.filter(file -> !String.valueOf(file.getFileName()).startsWith(".")).toList();
      if (found.size() != 1) {
        throw new IOException(folder + " should have one event log, but has " + found);
      }
      return found.getFirst();
    }
  }

  private List<Measurement> measurements(Manager manager, int round, Report report, EventLog log) {
    return plan.workloads().stream()
        .map(
            workload -> {
              String prefix = workload.label() + ".";
              Map<String, String> values = report.values();
              return new Measurement(
                  workload.label(),
                  manager,
                  round,
                  Double.parseDouble(report.text(prefix + Report.SECONDS)),
                  log.total(workload.label()),
                  Long.parseLong(values.getOrDefault(prefix + Report.COUNTER + "read-blocks", "0")),
                  Long.parseLong(values.getOrDefault(prefix + Report.COUNTER + "tcp-blocks", "0")),
                  new OutputSummary(
                      report.number(prefix + Report.RECORDS),
                      report.number(prefix + Report.CHECKSUM),
                      0),
                  report.text(prefix + Report.PROBLEMS));
            })
        .toList();
  }
}
