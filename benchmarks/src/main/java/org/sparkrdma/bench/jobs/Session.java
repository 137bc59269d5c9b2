package org.sparkrdma.bench.jobs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.sparkrdma.bench.eventlog.EventLog;
import org.sparkrdma.bench.hibench.BuiltFiles;
import org.sparkrdma.it.cluster.Application;
import org.sparkrdma.it.cluster.StandaloneCluster;
import org.sparkrdma.it.cluster.Submission;
import org.sparkrdma.it.terasort.Report;

/** One side's application, which lives as long as the comparison. One thread. */
final class Session {

  /** Of one job; and of an application's start, which the first one waits for. */
  private static final Duration JOB_TIMEOUT = Duration.ofMinutes(20);

  private static final Duration TIMEOUT = Duration.ofDays(2);

  private final Application application;
  private final Mailbox mailbox;
  private final Path logs;
  private int number;

  private Session(Application application, Mailbox mailbox, Path logs) {
    this.application = application;
    this.mailbox = mailbox;
    this.logs = logs;
  }

  /** Starts the application and doesn't wait for it. */
  static Session start(
      StandaloneCluster cluster, Side side, int executors, Map<String, String> conf)
      throws IOException, InterruptedException {
    Path folder = Files.createDirectories(cluster.directory().resolve("sides/" + side.label()));
    Path logs = Files.createDirectories(folder.resolve("event-logs"));
    Map<String, String> all = new HashMap<>(conf);
    all.putAll(eventLogConf(logs));
    all.put("spark.app.name", "jobs-" + side.label());
    all.put("spark.serializer", "org.apache.spark.serializer.KryoSerializer");
    all.put("spark.executor.cores", "1");
    all.put("spark.cores.max", Integer.toString(executors));
    // So that blocks are as large as the shape says.
    all.put("spark.shuffle.compress", "false");
    // So that shuffles have the partitions that the shape says, and the join shuffles at all.
    all.put("spark.sql.adaptive.enabled", "false");
    all.put("spark.sql.autoBroadcastJoinThreshold", "-1");
    Application application =
        cluster.submit(
            new Submission(
                side.label(),
                JobsApp.class.getName(),
                BuiltFiles.applicationJar(),
                side.jars(BuiltFiles.shuffleJar()),
                all,
                List.of(folder.toString(), Integer.toString(executors)),
                TIMEOUT));
    return new Session(application, new Mailbox(folder), logs);
  }

  private static Map<String, String> eventLogConf(Path folder) {
    return Map.of(
        "spark.eventLog.enabled", "true",
        "spark.eventLog.dir", folder.toUri().toString(),
        "spark.eventLog.compress", "false",
        "spark.eventLog.rolling.enabled", "false");
  }

  /** Runs a job to its end. */
  Report run(JobPlan plan, long bytes, String group) throws IOException, InterruptedException {
    number++;
    mailbox.request(
        number,
        Map.of(
            JobsApp.WORKLOAD, plan.workload().label(),
            JobsApp.SHAPE, plan.shape().label(),
            JobsApp.BYTES, Long.toString(bytes),
            JobsApp.GROUP, group));
    long start = System.nanoTime();
    while (true) {
      boolean alive = application.process().isAlive();
      Optional<Report> answer = mailbox.answer(number);
      if (answer.isPresent()) {
        return answer.get();
      }
      if (!alive) {
        application.awaitSuccess();
        throw new IOException("the application ended before its job " + group);
      }
      if (System.nanoTime() - start > JOB_TIMEOUT.toNanos()) {
        throw new IOException(
            group
                + " took more than "
                + JOB_TIMEOUT.toMinutes()
                + " minutes: "
                + application.log());
      }
      Thread.sleep(Mailbox.POLL_MILLIS);
    }
  }

  /** Ends the application and gives its event log. */
  EventLog end() throws IOException, InterruptedException {
    mailbox.request(number + 1, Map.of());
    application.awaitSuccess();
    try (Stream<Path> files = Files.list(logs)) {
      List<Path> found =
          files.filter(file -> !String.valueOf(file.getFileName()).startsWith(".")).toList();
      if (found.size() != 1) {
        throw new IOException(logs + " should have one event log, but has " + found);
      }
      return EventLog.read(found.getFirst());
    }
  }
}
