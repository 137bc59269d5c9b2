package org.sparkrdma.bench.eventlog;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * On the log of two workloads as Spark wrote it, of which fields that aren't read were cut away.
 */
class EventLogTest {

  private static final TaskFigures REPARTITION =
      new TaskFigures(16, 313931914, 1096, 12, 3185816, 1493297, 1692519, 30, 34);
  private static final TaskFigures AGGREGATION =
      new TaskFigures(4, 627920464, 1509, 1, 387493, 194201, 193292, 8, 8);

  @TempDir private Path folder;

  private Path real() throws IOException {
    Path file = folder.resolve("app");
    try (InputStream in =
        Objects.requireNonNull(EventLogTest.class.getResourceAsStream("events.jsonl"))) {
      Files.write(file, in.readAllBytes());
    }
    return file;
  }

  @Test
  void sumsTheTasksOfEachJobGroup() throws IOException {
    EventLog log = EventLog.read(real());

    assertEquals("app-20261130074643-0002", log.applicationId());
    assertEquals("workloads-rdma-1", log.applicationName());
    assertEquals(34575, log.wallMillis());
    assertEquals(REPARTITION, log.total("repartition"));
    assertEquals(AGGREGATION, log.total("aggregation"));
    assertEquals(REPARTITION.plus(AGGREGATION), log.total());
    assertEquals(TaskFigures.NONE, log.total("terasort"));
  }

  @Test
  void saysHowLongEachStageTook() throws IOException {
    StageFigures stage = EventLog.read(real()).stages("repartition").getFirst();

    assertEquals(7, stage.stage());
    assertEquals(816, stage.wallMillis());
  }

  @Test
  void readsTheFilesOfARollingLogInTheirOrder() throws IOException {
    List<String> lines = Files.readAllLines(real());
    Path rolling = Files.createDirectory(folder.resolve("eventlog_v2_app"));
    Files.createFile(rolling.resolve("appstatus_app"));
    Files.write(rolling.resolve("events_2_app"), lines.subList(0, 10));
    Files.write(rolling.resolve("events_10_app"), lines.subList(10, lines.size()));

    assertEquals(EventLog.read(real()), EventLog.read(rolling));
  }

  @Test
  void readsALogThatWasCutOff() throws IOException {
    String text = Files.readString(real());
    Path cut = Files.writeString(folder.resolve("cut"), text.substring(0, text.length() * 3 / 4));

    EventLog log = EventLog.read(cut);

    assertTrue(log.total().tasks() > 0);
    assertTrue(log.total().tasks() < REPARTITION.plus(AGGREGATION).tasks());
  }

  @Test
  void refusesWhatIsNoEventLog() throws IOException {
    Path other = Files.writeString(folder.resolve("other"), "{}\n");
    Path compressed = Files.write(folder.resolve("zstd"), new byte[] {0x28, (byte) 0xb5, 0x2f, 10});

    assertThrows(IOException.class, () -> EventLog.read(other));
    assertThrows(IOException.class, () -> EventLog.read(compressed));
  }
}
