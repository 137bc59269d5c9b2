package org.sparkrdma.it.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.sparkrdma.it.terasort.RecordFiles;
import org.sparkrdma.it.terasort.Report;
import org.sparkrdma.it.terasort.TeraSortApp;

/** The launcher on real processes. */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
final class StandaloneClusterIT {

  private static final Path WORKLOADS =
      Path.of(System.getProperty("sparkrdma.it.workloadsJar", "")).toAbsolutePath();

  private static Submission generate(RecordFiles files, Path report, long records) {
    return new Submission(
        "generate",
        TeraSortApp.class.getName(),
        WORKLOADS,
        List.of(),
        Map.of("spark.executor.memory", "512m"),
        List.of("generate", files.folder(), "4", Long.toString(records), "1", report.toString()),
        Duration.ofMinutes(3));
  }

  private static void await(BooleanSupplier condition, String what) throws InterruptedException {
    long deadline = System.nanoTime() + Duration.ofMinutes(5).toNanos();
    while (!condition.getAsBoolean()) {
      assertTrue(System.nanoTime() - deadline < 0, "not within five minutes: " + what);
      Thread.sleep(100);
    }
  }

  private static boolean isExecutor(ProcessHandle process) {
    return process.info().commandLine().orElse("").contains("CoarseGrainedExecutorBackend");
  }

  @Test
  void runsAnApplicationAndCloseLeavesNothingBehind(@TempDir Path parent) throws Exception {
    // A space in every path, as home folders have them.
    Path spaced = Files.createDirectory(parent.resolve("with space"));
    Path report = parent.resolve("report.properties");
    List<ProcessHandle> seen;
    Path directory;
    try (StandaloneCluster cluster =
        StandaloneCluster.start(
            SparkHome.ofBuild(), new ClusterOptions(2, 1, 1024, spaced, false))) {
      directory = cluster.directory();
      RecordFiles files = new RecordFiles(spaced.resolve("records").toUri().toString());
      cluster.submit(generate(files, report, 1000)).awaitSuccess();
      assertEquals(1000, Report.load(report).totals().records());

      // One with too much to do is still at work, executors and all, when the cluster closes.
      cluster.submit(generate(files, report, 1_000_000_000));
      await(
          () -> cluster.processes().stream().filter(StandaloneClusterIT::isExecutor).count() == 2,
          "two executors");
      seen = cluster.processes();
      assertTrue(seen.size() >= 6, seen::toString);
    }
    for (ProcessHandle process : seen) {
      assertFalse(process.isAlive(), () -> process.info().toString());
    }
    assertFalse(Files.exists(directory));
  }

  @Test
  void aFailedApplicationIsAnErrorWithTheLogsEnd(@TempDir Path parent) throws Exception {
    Path kept;
    try (StandaloneCluster cluster =
        StandaloneCluster.start(
            SparkHome.ofBuild(), new ClusterOptions(1, 1, 1024, parent, true))) {
      Submission wrong =
          new Submission(
              "wrong",
              TeraSortApp.class.getName(),
              WORKLOADS,
              List.of(),
              Map.of("spark.executor.memory", "512m"),
              List.of("dance"),
              Duration.ofMinutes(3));
      ClusterException error =
          assertThrows(ClusterException.class, () -> cluster.submit(wrong).awaitSuccess());
      String message = String.valueOf(error.getMessage());
      assertTrue(message.contains("driver-1-wrong"), message);
      assertTrue(message.contains("not [dance]"), message);
      kept = cluster.directory();
    }
    assertTrue(Files.exists(kept.resolve("logs").resolve("master.log")));
  }

  @Test
  void aKilledParentLeavesNoProcessBehind(@TempDir Path parent) throws Exception {
    Path written = parent.resolve("pids");
    Process owner =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                "-D" + SparkHome.PROPERTY + "=" + System.getProperty(SparkHome.PROPERTY),
                ClusterOwner.class.getName(),
                parent.toString(),
                written.toString())
            .inheritIO()
            .start();
    try {
      await(() -> Files.exists(written) || !owner.isAlive(), "a cluster of another process");
      assertTrue(owner.isAlive());
    } finally {
      owner.destroyForcibly().waitFor();
    }
    List<String> pids = Files.readAllLines(written);
    assertEquals(2, pids.size(), pids::toString);
    for (String pid : pids) {
      await(() -> ProcessHandle.of(Long.parseLong(pid)).isEmpty(), "the end of process " + pid);
    }
    await(
        () -> {
          try (var left = Files.list(parent)) {
            return left.noneMatch(Files::isDirectory);
          } catch (IOException e) {
            return false;
          }
        },
        "the removal of the cluster's folder");
  }

  /** A main class that starts a cluster, says so, and then only waits. */
  static final class ClusterOwner {
    private ClusterOwner() {}

    public static void main(String[] arguments) throws IOException, InterruptedException {
      var cluster =
          StandaloneCluster.start(
              SparkHome.ofBuild(), new ClusterOptions(1, 1, 1024, Path.of(arguments[0]), false));
      List<String> pids =
          cluster.processes().stream().map(process -> Long.toString(process.pid())).toList();
      Path temporary = Path.of(arguments[1] + ".new");
      Files.write(temporary, pids);
      Files.move(temporary, Path.of(arguments[1]));
      Thread.sleep(Duration.ofMinutes(10));
    }
  }
}
