package org.sparkrdma.suites;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Spark's own suites pass with this manager, and their blocks come by READ. */
final class SparkSuitesIT {

  private static final Map<SparkSuite, SuiteResult> RESULTS = new EnumMap<>(SparkSuite.class);

  static List<SparkSuite> suites() {
    return SparkSuite.selected(System.getProperty("rdma.suites"));
  }

  @ParameterizedTest
  @MethodSource("suites")
  void aSuitePasses(SparkSuite suite) throws Exception {
    SuiteRun run = new SuiteRun(suite);
    SuiteResult result = run.run();
    RESULTS.put(suite, result);
    assertEquals(List.of(), result.problems(), () -> "see " + run.output());
  }

  @AfterAll
  static void writeTable() throws IOException {
    String table =
        RESULTS.values().stream()
            .map(SuiteResult::tableRow)
            .collect(Collectors.joining("", SuiteResult.TABLE_HEAD, ""));
    Files.writeString(SuiteRun.base().resolve("table.md"), table);
    System.out.println(table);
  }
}
