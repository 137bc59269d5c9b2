package org.sparkrdma.it.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.sparkrdma.it.terasort.RecordFiles;
import org.sparkrdma.it.terasort.Report;
import org.sparkrdma.it.terasort.TeraSortApp;

/**
 * The ways by which the one jar reaches the driver and the executors, on a standalone cluster of
 * two workers. The demo's test has the usual one: client mode and {@code --jars}.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class DeploymentIT {

  private static final Path WORKLOADS =
      Path.of(System.getProperty("sparkrdma.it.workloadsJar", "")).toAbsolutePath();
  private static final Path SHUFFLE =
      Path.of(System.getProperty("sparkrdma.it.shuffleJar", "")).toAbsolutePath().normalize();

  private static final String VERSION =
      Objects.requireNonNull(System.getProperty("sparkrdma.it.version"));

  @TempDir private static Path folder;
  private StandaloneCluster cluster;
  private RecordFiles records;
  private Report generated;

  @BeforeAll
  void generate() throws Exception {
    cluster =
        StandaloneCluster.start(
            SparkHome.ofBuild(),
            ClusterOptions.ofWorkers(2).withCoresPerWorker(2).withMemoryPerWorkerMb(3072));
    records = new RecordFiles(folder.resolve("records").toUri().toString());
    Path report = folder.resolve("generated.properties");
    submit(
        "generate",
        List.of(),
        Map.of(),
        List.of("generate", records.folder(), "8", "20000", "1", report.toString()));
    generated = Report.load(report);
  }

  @AfterAll
  void close() throws IOException {
    if (cluster != null) {
      cluster.close();
    }
  }

  @Test
  void jarsInClusterMode() throws Exception {
    sortsByRead(
        "cluster-mode",
        List.of(SHUFFLE),
        Map.of(
            "spark.submit.deployMode",
            "cluster",
            // Else spark-submit is done when the driver's place is found.
            "spark.standalone.submit.waitAppCompletion",
            "true"));
  }

  /** What {@code mvn install} leaves in the user's own repository is found there by name. */
  @Test
  void packagesFromTheLocalMavenRepository() throws Exception {
    Path home = Files.createDirectory(folder.resolve("home"));
    Path installed =
        Files.createDirectories(
            home.resolve(".m2/repository/org/sparkrdma/spark-rdma-shuffle").resolve(VERSION));
    Path jar = installed.resolve("spark-rdma-shuffle-" + VERSION + ".jar");
    Files.copy(SHUFFLE, jar);
    Files.copy(
        SHUFFLE.resolveSibling("installed-pom.xml"),
        installed.resolve("spark-rdma-shuffle-" + VERSION + ".pom"));
    sortsByRead(
        "packages",
        List.of(),
        Map.of(
            "spark.jars.packages",
            "org.sparkrdma:spark-rdma-shuffle:" + VERSION,
            "spark.driver.extraJavaOptions",
            "\"-Duser.home=" + home + "\""));
  }

  @Test
  void aPathThatEveryHostHas() throws Exception {
    sortsByRead(
        "class-path",
        List.of(),
        Map.of(
            "spark.driver.extraClassPath",
            SHUFFLE.toString(),
            "spark.executor.extraClassPath",
            SHUFFLE.toString()));
  }

  private void sortsByRead(String name, List<Path> jars, Map<String, String> settings)
      throws Exception {
    Map<String, String> conf = new TreeMap<>(settings);
    conf.put("spark.shuffle.manager", "org.apache.spark.shuffle.rdma.RdmaShuffleManager");
    Path report = folder.resolve(name + ".properties");
    submit(
        name,
        jars,
        conf,
        List.of(
            "sort",
            records.folder(),
            "8",
            folder.resolve(name).toUri().toString(),
            "8",
            Long.toString(generated.totals().records()),
            Long.toString(generated.totals().checksum()),
            report.toString()));
    Report sorted = Report.load(report);
    assertEquals("", sorted.text(Report.PROBLEMS));
    assertTrue(sorted.number(Report.REMOTE_BLOCKS) > 0, "no block was remote");
    assertEquals(sorted.number(Report.REMOTE_BLOCKS), sorted.counter("read-blocks"));
    assertEquals(0, sorted.counter("tcp-blocks"));
  }

  private void submit(
      String name, List<Path> jars, Map<String, String> settings, List<String> arguments)
      throws Exception {
    Map<String, String> conf = new TreeMap<>(settings);
    conf.put("spark.driver.memory", "512m");
    conf.put("spark.executor.memory", "512m");
    conf.put("spark.executor.cores", "1");
    conf.put("spark.cores.max", "2");
    cluster
        .submit(
            new Submission(
                name,
                TeraSortApp.class.getName(),
                WORKLOADS,
                jars,
                conf,
                arguments,
                Duration.ofMinutes(3)))
        .awaitSuccess();
  }
}
