package org.sparkrdma.bench.hibench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import javax.imageio.ImageIO;
import org.apache.commons.csv.CSVParser;
import org.apache.commons.csv.CSVRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sparkrdma.bench.eventlog.TaskFigures;

class MeasurementsTest {

  private static final OutputSummary OUTPUT = new OutputSummary(10, 77, 0);

  private static Measurement one(Manager manager, int round, double seconds, OutputSummary output) {
    long read = manager == Manager.RDMA ? 40 : 0;
    TaskFigures tasks = new TaskFigures(8, 2_000_000_000, 3000, 250, 5_000_000, 4000, 3000, 40, 9);
    return new Measurement("join, sorted", manager, round, seconds, tasks, read, 0, output, "");
  }

  private static Measurements of(Measurement... measurements) {
    return new Measurements(List.of(measurements), _ -> 1e-9);
  }

  @Test
  void takesMediansOverRounds() {
    Measurements all =
        of(
            one(Manager.SORT, 1, 3, OUTPUT),
            one(Manager.SORT, 2, 9, OUTPUT),
            one(Manager.SORT, 3, 4, OUTPUT),
            one(Manager.RDMA, 1, 1, OUTPUT),
            one(Manager.RDMA, 2, 2, OUTPUT));

    assertEquals(4, all.median("join, sorted", Manager.SORT, Measurement::seconds));
    assertEquals(1.5, all.median("join, sorted", Manager.RDMA, Measurement::seconds));
    assertEquals(List.of(), all.failures());
  }

  @Test
  void failsIfTheManagersOutputsDiffer() {
    Measurements all =
        of(one(Manager.SORT, 1, 1, OUTPUT), one(Manager.RDMA, 1, 1, new OutputSummary(10, 78, 0)));

    assertEquals("different", all.verdict("join, sorted"));
    assertEquals(1, all.failures().size());
  }

  @Test
  void letsFractionsDifferByTheTolerance() {
    Measurement sort = one(Manager.SORT, 1, 1, new OutputSummary(10, 77, 1e6));

    assertEquals(
        "equal",
        of(sort, one(Manager.RDMA, 1, 1, new OutputSummary(10, 77, 1e6 + 1e-4)))
            .verdict("join, sorted"));
    assertEquals(
        "different",
        of(sort, one(Manager.RDMA, 1, 1, new OutputSummary(10, 77, 1e6 + 1)))
            .verdict("join, sorted"));
  }

  @Test
  void failsIfRemoteBlocksCameWithoutRead() {
    Measurement rdma = one(Manager.RDMA, 1, 1, OUTPUT);
    Measurement none =
        new Measurement(
            rdma.workload(), Manager.RDMA, 1, 1, rdma.tasks(), 0, 40, rdma.output(), "");

    List<String> failures = of(one(Manager.SORT, 1, 1, OUTPUT), none).failures();

    assertEquals(List.of("join, sorted, rdma, round 1: no block came by READ"), failures);
  }

  @Test
  void theFilesSayWhatWasMeasured(@TempDir Path folder) throws IOException {
    Measurements all = of(one(Manager.SORT, 1, 3, OUTPUT), one(Manager.RDMA, 1, 1.5, OUTPUT));

    ReportFiles.write(all, Map.of("machine", "two cores"), folder, System.out);

    try (CSVParser parser =
        CSVParser.parse(
            Files.readString(folder.resolve("report.csv")),
            CsvReport.FORMAT.builder().setSkipHeaderRecord(true).get())) {
      List<CSVRecord> rows = parser.getRecords();
      assertEquals(2, rows.size());
      assertEquals("join, sorted", rows.get(1).get("workload"));
      assertEquals("1.500", rows.get(1).get("seconds"));
      assertEquals("5000000", rows.get(1).get("shuffle_bytes"));
      assertEquals("0.000", rows.get(0).get("read_share"));
      assertEquals("1.000", rows.get(1).get("read_share"));
      assertEquals("0.250", rows.get(1).get("fetch_wait_seconds"));
      assertEquals("2.000", rows.get(1).get("executor_cpu_seconds"));
    }
    String markdown = Files.readString(folder.resolve("report.md"));
    assertTrue(markdown.contains("- machine: two cores"), markdown);
    assertTrue(
        markdown.contains(
            "| join, sorted | rdma | 1.50 | 5.0 | 0.0 | 40 | 1.00 | 0.25 | 2.00 | equal |"),
        markdown);
    // Without fonts there is no chart, and the run doesn't fail for that.
    Path chart = folder.resolve("report.png");
    if (Files.exists(chart)) {
      assertTrue(ImageIO.read(chart.toFile()).getHeight() > 1000);
    }
  }
}
