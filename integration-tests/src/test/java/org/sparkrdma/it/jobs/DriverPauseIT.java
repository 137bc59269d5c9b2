package org.sparkrdma.it.jobs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ObjectInputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.sparkrdma.it.cluster.Application;
import org.sparkrdma.it.cluster.StandaloneCluster;
import org.sparkrdma.it.cluster.Submission;
import org.sparkrdma.it.jobs.TestApplication.Reading;

/** A driver that stands still, as in a long garbage collection, while executors read. */
@EnabledIfSystemProperty(
    named = "rdma.extended",
    matches = "true",
    disabledReason = "it takes a minute: mvn verify -Pextended runs it")
final class DriverPauseIT {

  private static final long LOOKUP_MILLIS = 1000;

  @TempDir private Path folder;

  @Test
  void readersThatKnowLocationsGoOnAndTheOthersUseTcp() throws Exception {
    FileLatch unknown = latch("unknown");
    FileLatch known = latch("known");
    Path report = folder.resolve("report");
    StandaloneCluster cluster = SharedCluster.get();
    Application driver =
        cluster.submit(
            new Submission(
                "paused",
                PausedDriver.class.getName(),
                jar("sparkrdma.it.testsJar"),
                List.of(jar("sparkrdma.it.shuffleJar"), jar("sparkrdma.it.workloadsJar")),
                conf(),
                List.of(
                    unknown.folder(), known.folder(), latch("busy").folder(), report.toString()),
                Duration.ofMinutes(10)));
    standStillWhileExecutorsStart(driver);
    readWhileItStandsStill(driver, unknown);
    readWhileItStandsStill(driver, known);
    driver.awaitSuccess();
    List<Reading> readings = readings(report);
    check(
        "Driver stands still (SIGSTOP) while an executor reads whose locations it must ask for",
        "same rows: at the lookup's deadline the blocks go by TCP",
        readings.getFirst());
    assertEquals(
        Map.of("directory-unreachable", readings.getFirst().sparkBlocks()),
        readings.getFirst().tcpBlocks());
    check(
        "Driver stands still (SIGSTOP) while an executor reads whose locations it knows",
        "same rows: the driver isn't needed",
        readings.getLast());
    SameRowsIT.assertAllByRead(readings.getLast(), "with known locations");
  }

  private static void check(String fault, String expected, Reading reading) throws Exception {
    List<String> rows = PausedDriver.SHUFFLE.expected();
    FaultTable.add(fault, "direct", expected, reading, rows);
    assertEquals(rows, reading.rows());
    assertTrue(reading.sparkBlocks() > 0, reading::toString);
    assertEquals(0, reading.fetchFailures());
  }

  /** For longer than a lookup may take, once executors have registered, so while they start. */
  private static void standStillWhileExecutorsStart(Application driver) throws Exception {
    while (!Files.readString(driver.log()).contains("Registered executor")) {
      assertTrue(driver.process().isAlive(), "the driver has ended");
      Thread.sleep(10);
    }
    Signals.send("STOP", driver.process().pid());
    Thread.sleep(3 * LOOKUP_MILLIS);
    Signals.send("CONT", driver.process().pid());
  }

  /** The driver can't have helped: it goes on only when all is read. */
  private static void readWhileItStandsStill(Application driver, FileLatch latch) throws Exception {
    latch.await(PausedDriver.READY);
    long pid = driver.process().pid();
    Signals.send("STOP", pid);
    try {
      latch.open();
      latch.await(PausedDriver.DONE);
    } finally {
      Signals.send("CONT", pid);
    }
  }

  private static Map<String, String> conf() {
    Map<String, String> conf = new HashMap<>(TestApplication.rdmaConf());
    conf.put("spark.shuffle.rdma.lookupTimeoutMillis", Long.toString(LOOKUP_MILLIS));
    return conf;
  }

  @SuppressWarnings("unchecked") // PausedDriver writes these.
  private static List<Reading> readings(Path report) throws Exception {
    try (var in = new ObjectInputStream(Files.newInputStream(report))) {
      return (List<Reading>) in.readObject();
    }
  }

  private FileLatch latch(String name) throws Exception {
    return new FileLatch(Files.createDirectory(folder.resolve(name)).toString());
  }

  private static Path jar(String property) {
    return Path.of(Objects.requireNonNull(System.getProperty(property)));
  }
}
