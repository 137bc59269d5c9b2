package org.sparkrdma.it.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.sparkrdma.it.terasort.Report;

final class ComparisonTest {

  private static Report report(String seconds, String problems, Map<String, String> counters) {
    Map<String, String> values = new TreeMap<>();
    values.put(Report.SECONDS, seconds);
    values.put(Report.RECORDS, "1000");
    values.put(Report.BYTES_WRITTEN, "110000");
    values.put(Report.REMOTE_BYTES, "55000");
    values.put(Report.REMOTE_BLOCKS, "256");
    values.put(Report.PROBLEMS, problems);
    counters.forEach((label, value) -> values.put(Report.COUNTER + label, value));
    return new Report(values);
  }

  private static Round round(String sort, String rdma, String problems, String readBlocks) {
    return new Round(
        report(sort, "", Map.of()),
        report(
            rdma,
            problems,
            Map.of(
                "read-blocks", readBlocks,
                "read-bytes", "5000",
                "tcp-blocks", "3",
                "tcp-blocks.pool-dry", "3",
                "tcp-blocks.deadline", "0")));
  }

  @Test
  void theResultLineHasSumsAndMedians() {
    Comparison comparison =
        new Comparison(
            List.of(
                round("1.5", "2.5", "", "250"),
                round("9.0", "1.0", "", "251"),
                round("2.0", "1.25", "", "252")));
    assertEquals(List.of(), comparison.failures());
    assertEquals(
        "RESULT validated=true records=1000 read_blocks=753 tcp_blocks=9 read_bytes=15000 "
            + "sort_seconds=2.000 rdma_seconds=1.250",
        comparison.result());
  }

  @Test
  void theTableNamesReasonsThatOccurred() {
    String table = new Comparison(List.of(round("1", "2", "", "250"))).table();
    assertTrue(table.contains("3 (pool-dry 3)"), table);
  }

  @Test
  void anInvalidOutputFailsAndIsNamed() {
    Comparison comparison = new Comparison(List.of(round("1", "2", "999 records", "250")));
    assertEquals(
        List.of("round 1: the sorted output isn't valid: 999 records"), comparison.failures());
    assertTrue(comparison.result().startsWith("RESULT validated=false "));
  }

  @Test
  void noBlockByReadFailsInWhicheverRound() {
    Comparison comparison =
        new Comparison(List.of(round("1", "2", "", "250"), round("1", "2", "", "0")));
    assertEquals(List.of("round 2: no block came by READ"), comparison.failures());
  }
}
