package org.sparkrdma.bench.jobs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.imageio.ImageIO;
import org.apache.commons.csv.CSVParser;
import org.apache.commons.csv.CSVRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sparkrdma.bench.eventlog.StageFigures;
import org.sparkrdma.bench.eventlog.TaskFigures;
import org.sparkrdma.it.terasort.Report;

class JobRunsTest {

  private static final JobPlan PLAN = new JobPlan(JobWorkload.TERASORT, new Shape(128, 128));

  /** Two stages: a map of 1 s, and a reduce of {@code reduceMillis}. */
  private static JobRun run(Side side, int round, int reduceMillis, Map<String, String> changed) {
    long remote = side == Side.DISK ? 0 : 50;
    Map<String, String> values = new TreeMap<>();
    values.put(Report.SECONDS, Double.toString(1 + reduceMillis / 1e3));
    values.put(Report.RECORDS, "1000");
    values.put(Report.CHECKSUM, "77");
    values.put(Report.PROBLEMS, "");
    values.put(JobsApp.CPU_MILLIS, "5000");
    values.put(JobsApp.STAGE_CPU_MILLIS + 7, "1500");
    values.put(JobsApp.STAGE_CPU_MILLIS + 8, Integer.toString(2 * reduceMillis));
    if (side == Side.OURS) {
      values.put(Report.COUNTER + "read-blocks", Long.toString(remote));
      values.put(Report.COUNTER + "tcp-blocks", "0");
    }
    values.putAll(changed);
    TaskFigures maps = new TaskFigures(128, 900_000_000, 1000, 0, 6_400_000, 0, 0, 0, 0);
    TaskFigures reduces =
        new TaskFigures(
            128, 800_000_000, 900, 250, 0, remote * 65_536, 65_536 * 50, remote, 100 - remote);
    return JobRun.of(
        PLAN,
        side,
        round,
        new Report(values),
        List.of(
            new StageFigures(7, 0, "mapToPair at TeraSort", "g", 0, 1000, maps),
            new StageFigures(
                8, 0, "collect at TeraSort", "g", 1000, 1000 + reduceMillis, reduces)));
  }

  private static List<JobRun> rounds() {
    List<JobRun> runs = new ArrayList<>();
    int[] ours = {1000, 1600, 500};
    for (int round = 1; round <= 3; round++) {
      // The machine is at half its speed in the second round.
      int spark = round == 2 ? 2000 : 1000;
      runs.add(run(Side.TCP, round, spark, Map.of()));
      runs.add(run(Side.OURS, round, ours[round - 1], Map.of()));
      runs.add(run(Side.DISK, round, spark, Map.of()));
    }
    return runs;
  }

  private static List<String> failures(JobRun... runs) {
    return new JobRuns(List.of(runs)).failures();
  }

  @Test
  void ratiosAreOfTheSameRound() {
    JobRuns runs = new JobRuns(rounds());

    assertEquals(List.of(), runs.failures());
    Ratio ratio = runs.ratio(PLAN, Side.TCP, JobRun::reduceSeconds);
    assertEquals(0.8, ratio.median(), 1e-9);
    assertEquals(0.5, ratio.spread().least(), 1e-9);
    assertEquals(1.0, ratio.spread().most(), 1e-9);
  }

  @Test
  void reduceStagesAreThoseThatReadAShuffle() {
    JobRun run = run(Side.TCP, 1, 1000, Map.of());

    assertEquals(1.0, run.reduceSeconds());
    assertEquals(2.0, run.reduceCpuSeconds());
    assertEquals(0.8, run.reduceTaskCpuSeconds());
    assertEquals(1.7, run.taskCpuSeconds(), 1e-9);
    assertEquals(5.0, run.cpuSeconds());
  }

  @Test
  void failsIfOutputsDiffer() {
    List<String> failures =
        failures(
            run(Side.TCP, 1, 1, Map.of()), run(Side.OURS, 1, 1, Map.of(Report.CHECKSUM, "78")));

    assertEquals(1, failures.size());
    assertTrue(failures.getFirst().startsWith("terasort.128x128: the outputs differ: "));
  }

  @Test
  void failsIfBlocksWentAnotherWayThanWasMeant() {
    assertEquals(
        List.of("terasort.128x128, ours, round 2: 49 of 50 blocks came by READ"),
        failures(run(Side.OURS, 2, 1, Map.of(Report.COUNTER + "read-blocks", "49"))));
    assertEquals(
        List.of("terasort.128x128, ours, round 2: 1 blocks went by TCP"),
        failures(run(Side.OURS, 2, 1, Map.of(Report.COUNTER + "tcp-blocks", "1"))));
    // Without a manager's counters too: a job with the sort shuffle where ours was meant.
    JobRun sort = run(Side.TCP, 1, 1, Map.of());
    JobRun meant = new JobRun(PLAN, Side.OURS, 1, sort.report(), sort.stages());
    assertEquals(
        List.of("terasort.128x128, ours, round 1: 0 of 50 blocks came by READ"), failures(meant));
    JobRun disk = new JobRun(PLAN, Side.DISK, 1, sort.report(), sort.stages());
    assertEquals(
        List.of("terasort.128x128, disk, round 1: 50 blocks came from other executors"),
        failures(disk));
  }

  @Test
  void failsIfAnOutputIsWrongByItself() {
    assertEquals(
        List.of("terasort.128x128, tcp, round 1: unsorted"),
        failures(run(Side.TCP, 1, 1, Map.of(Report.PROBLEMS, "unsorted"))));
  }

  @Test
  void printsRatiosForProgramsAndForPeople() {
    JobTables tables = new JobTables(new JobRuns(rounds()));

    List<String> ratios = tables.ratioLines();
    assertEquals(7, ratios.size());
    assertTrue(ratios.contains("RATIO jobs.terasort.128x128.reduce_cpu 0.80"), ratios.toString());
    assertTrue(ratios.contains("RATIO jobs.terasort.128x128.wall 0.87"), ratios.toString());
    assertTrue(ratios.contains("RATIO jobs.terasort.128x128.wall_vs_disk 0.87"));
    String comparison = String.join("\n", tables.comparison());
    assertTrue(comparison.contains("0.80  (0.50-1.00)  [0.31-1.77]  aim <= 0.80"), comparison);
    String stages = String.join("\n", tables.stages());
    assertTrue(stages.contains("1 collect at TeraSort"), stages);
    // Half of ours were remote, and each block 64 KiB.
    assertTrue(stages.contains("100     64.0   0.50"), stages);
  }

  @Test
  void keepsEverySample(@TempDir Path folder) throws IOException {
    JobRuns runs = new JobRuns(rounds());
    Path csv = folder.resolve("jobs.csv");
    Path chart = folder.resolve("jobs.png");

    JobsCsv.write(runs, csv);
    JobsChart.write(runs, chart);

    List<CSVRecord> rows;
    try (CSVParser parser =
        CSVParser.parse(
            Files.readString(csv), JobsCsv.FORMAT.builder().setSkipHeaderRecord(true).get())) {
      rows = parser.getRecords();
    }
    assertEquals(9 * 3, rows.size());
    assertEquals("50", rows.get(3).get("read_blocks"));
    assertEquals("", rows.get(4).get("read_blocks"));
    assertEquals("2.000", rows.get(5).get("executor_cpu_seconds"));
    assertTrue(ImageIO.read(chart.toFile()).getWidth() >= 800);
  }
}
