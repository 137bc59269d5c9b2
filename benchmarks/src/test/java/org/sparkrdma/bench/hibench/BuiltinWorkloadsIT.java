package org.sparkrdma.bench.hibench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.commons.csv.CSVParser;
import org.apache.commons.csv.CSVRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sparkrdma.bench.builtin.Workload;

/** run.sh as a user starts it, on real processes. */
class BuiltinWorkloadsIT {

  private static int run(Map<String, String> environment, Path log, String... arguments)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of("/bin/bash"));
    command.add(String.valueOf(System.getProperty("sparkrdma.bench.runScript")));
    command.addAll(List.of(arguments));
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectInput(new File("/dev/null"))
            .redirectOutput(log.toFile());
    // The build that runs this test has just made the jars.
    builder.environment().put("RDMA_HIBENCH_BUILT", "true");
    builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
    builder.environment().remove("HIBENCH_HOME");
    builder.environment().remove("SPARK_HOME");
    builder.environment().putAll(environment);
    return builder.start().waitFor();
  }

  /** Two of them, or with -Pextended all six: the processes take most of the time. */
  private static List<String> workloads() {
    return Boolean.getBoolean("rdma.extended")
        ? Arrays.stream(Workload.values()).map(Workload::label).toList()
        : List.of("terasort", "repartition");
  }

  @Test
  void bothManagersGiveTheSameOutputsAndRemoteBlocksAreRead(@TempDir Path folder) throws Exception {
    Path log = folder.resolve("log");
    Path out = folder.resolve("out");

    String chosen = "builtin:" + String.join(",", workloads());
    int exit = run(Map.of(), log, "--workloads", chosen, "--out", out.toString());

    assertEquals(0, exit, Files.readString(log));
    List<CSVRecord> rows;
    try (CSVParser parser =
        CSVParser.parse(
            Files.readString(out.resolve("report.csv")),
            CsvReport.FORMAT.builder().setSkipHeaderRecord(true).get())) {
      rows = parser.getRecords();
    }
    assertEquals(2 * workloads().size(), rows.size());
    Map<String, List<CSVRecord>> byWorkload =
        rows.stream().collect(Collectors.groupingBy(row -> row.get("workload")));
    byWorkload.forEach(
        (workload, pair) -> {
          assertEquals(pair.get(0).get("output"), pair.get(1).get("output"), workload);
          for (CSVRecord row : pair) {
            String all = row.get("manager").equals("rdma") ? "1.000" : "0.000";
            // Join's few tasks may find all their blocks where they run.
            String share = row.get("remote_blocks").equals("0") ? "" : all;
            assertEquals(share, row.get("read_share"), row.toString());
          }
        });
    assertTrue(rows.stream().mapToLong(row -> Long.parseLong(row.get("read_blocks"))).sum() > 0);
    assertTrue(Files.readString(out.resolve("report.md")).contains("| repartition | rdma |"));
  }

  @Test
  void refusesHiBenchWithoutItsEnvironment(@TempDir Path folder) throws Exception {
    Path log = folder.resolve("log");

    int exit = run(Map.of(), log, "--workloads", "sort", "--out", folder.resolve("out").toString());

    assertEquals(3, exit, Files.readString(log));
    assertTrue(Files.readString(log).contains("HIBENCH_HOME: it isn't set"));
  }

  @Test
  void refusesUnknownWorkloads(@TempDir Path folder) throws Exception {
    Path log = folder.resolve("log");

    int exit =
        run(Map.of(), log, "--workloads", "soort", "--out", folder.resolve("out").toString());

    assertEquals(2, exit, Files.readString(log));
    assertTrue(Files.readString(log).contains("no workload soort"));
  }
}
