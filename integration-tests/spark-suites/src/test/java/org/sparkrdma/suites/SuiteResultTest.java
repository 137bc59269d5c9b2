package org.sparkrdma.suites;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** When a run counts as passed, and what the table says of it. */
final class SuiteResultTest {

  private static final String PASSED =
      """
      - groupByKey (3 seconds, 2 milliseconds)
      - sort !!! IGNORED !!!
      Run completed in 4 seconds, 10 milliseconds.
      Total number of tests run: 2
      Suites: completed 1, aborted 0
      Tests: succeeded 2, failed 0, canceled 0, ignored 1, pending 0
      All tests passed.
      """;
  private static final String FAILED =
      """
      - groupByKey *** FAILED *** (3 seconds, 2 milliseconds)
        1 did not equal 2 (ShuffleSuite.scala:42)
      Suites: completed 1, aborted 0
      Tests: succeeded 1, failed 1, canceled 0, ignored 0, pending 0
      *** 1 TEST FAILED ***
      """;

  @Test
  void aSuiteThatPassedWithReadsHasNoProblem() {
    SuiteResult result = result(SparkSuite.SHUFFLE, PASSED, 0, Map.of("read-blocks", 1L));
    assertEquals(List.of(), result.problems());
  }

  @Test
  void aSuiteWhoseBlocksAllCameByTcpHasAProblem() {
    SuiteResult result = result(SparkSuite.SHUFFLE, PASSED, 0, Map.of("tcp-blocks", 40L));
    assertEquals(List.of("no block came by READ"), result.problems());
  }

  @Test
  void aSuiteSaidToHaveNoReadsMayNotHaveSome() {
    SuiteResult result = result(SparkSuite.JOB_CANCELLATION, PASSED, 0, Map.of("read-blocks", 1L));
    assertEquals(1, result.problems().size());
  }

  @Test
  void aFailedTestIsNamed() {
    SuiteResult result = result(SparkSuite.SHUFFLE, FAILED, 1, Map.of("read-blocks", 1L));
    assertEquals(
        List.of("exit code 1", "- groupByKey *** FAILED *** (3 seconds, 2 milliseconds)"),
        result.problems());
  }

  @Test
  void aRunThatEndedBeforeItsTestsHasAProblem() {
    SuiteResult result = result(SparkSuite.JOB_CANCELLATION, "", 0, Map.of());
    assertEquals(List.of("no test passed"), result.problems());
  }

  @Test
  void theTableHasTheCountsAndTheReasonsForTcp() {
    Map<String, Long> counters =
        Map.of("read-blocks", 5L, "tcp-blocks", 2L, "tcp-blocks.no-location", 2L);
    assertEquals(
        "| RdmaShuffleSuite | 2 | 0 | 0 | 1 | 5 | 2 (no-location 2) | 7 |\n",
        result(SparkSuite.SHUFFLE, PASSED, 0, counters).tableRow());
  }

  private static SuiteResult result(
      SparkSuite suite, String output, int exit, Map<String, Long> counters) {
    return new SuiteResult(suite, output, exit, counters, 7);
  }
}
