package org.sparkrdma.older;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.abort;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sparkrdma.it.cluster.Application;
import org.sparkrdma.it.cluster.ClusterOptions;
import org.sparkrdma.it.cluster.SparkHome;
import org.sparkrdma.it.cluster.StandaloneCluster;
import org.sparkrdma.it.cluster.Submission;

/**
 * On a Java or a Spark that it isn't made for, the shuffle manager says so in one line and is the
 * sort shuffle: on a standalone cluster whose every process runs on Java 17.
 */
final class OlderVersionsIT {

  private static final String LINE = "Plain sort shuffle without RDMA: ";
  private static final String OLDER_SPARK = property("sparkrdma.older.sparkVersion");

  @TempDir private Path folder;

  @Test
  void thisSparkOnAnOlderJava() throws Exception {
    runsAsSortShuffle(
        property("sparkrdma.it.sparkHome"), "this is Java 17, and reads need Java 25");
  }

  @Test
  void anOlderSpark() throws Exception {
    runsAsSortShuffle(
        property("sparkrdma.older.sparkHome"),
        "this is Spark " + OLDER_SPARK + ", and the seam to Spark is that of 4.2.x");
  }

  private void runsAsSortShuffle(String spark, String reason) throws Exception {
    Path counted = folder.resolve("counts.txt");
    SparkHome home = new SparkHome(Path.of(spark), javaSeventeen());
    ClusterOptions options = ClusterOptions.ofWorkers(2).withMemoryPerWorkerMb(1024);
    try (StandaloneCluster cluster = StandaloneCluster.start(home, options)) {
      Application application =
          cluster.submit(
              new Submission(
                  "counted-keys",
                  CountedKeys.class.getName(),
                  Path.of(property("sparkrdma.older.applicationJar")),
                  List.of(Path.of(property("sparkrdma.it.shuffleJar"))),
                  Map.of(
                      "spark.shuffle.manager",
                      "org.apache.spark.shuffle.rdma.RdmaShuffleManager",
                      "spark.executor.memory",
                      "512m"),
                  List.of(counted.toString()),
                  Duration.ofMinutes(3)));
      application.awaitSuccess();
      assertEquals(
          IntStream.range(0, 10)
              .mapToObj(i -> i + "=1000")
              .collect(Collectors.joining(", ", "{", "}")),
          Files.readString(counted));
      assertSaidOnce(application.log(), reason);
      List<Path> executors = executorLogs(cluster.directory().resolve("work"));
      assertEquals(2, executors.size(), executors::toString);
      for (Path log : executors) {
        assertSaidOnce(log, reason);
      }
    }
  }

  private static void assertSaidOnce(Path log, String reason) throws IOException {
    List<String> said =
        Files.readAllLines(log).stream().filter(line -> line.contains(LINE)).toList();
    assertEquals(1, said.size(), () -> log + ": " + said);
    assertTrue(said.get(0).contains(LINE + reason), said::toString);
  }

  private static List<Path> executorLogs(Path work) throws IOException {
    try (Stream<Path> files = Files.walk(work)) {
      return files.filter(file -> file.endsWith("stderr")).toList();
    }
  }

  /** Where Debian and others have it. */
  private static Path javaSeventeen() throws IOException {
    try (Stream<Path> homes = Files.list(Path.of("/usr/lib/jvm"))) {
      return homes
          .filter(home -> String.valueOf(home.getFileName()).contains("17"))
          .filter(home -> Files.isExecutable(home.resolve("bin/java")))
          .findFirst()
          .orElseGet(
              () -> {
                assertTrue(
                    !Boolean.getBoolean("require.java17"), "there's no Java 17 under /usr/lib/jvm");
                return abort("there's no Java 17 under /usr/lib/jvm");
              });
    }
  }

  private static String property(String name) {
    return String.valueOf(System.getProperty(name));
  }
}
