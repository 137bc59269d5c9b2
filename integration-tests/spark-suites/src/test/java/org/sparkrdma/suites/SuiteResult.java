package org.sparkrdma.suites;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * What a suite's run came to.
 *
 * @param output all that ScalaTest's Runner has printed
 * @param exit the exit code of its JVM
 * @param counters the manager's counters, summed over the suite's applications
 * @param seconds how long it took
 */
record SuiteResult(
    SparkSuite suite, String output, int exit, Map<String, Long> counters, long seconds) {

  private static final Pattern TESTS =
      Pattern.compile(
          "^Tests: succeeded (\\d+), failed (\\d+), canceled (\\d+), ignored (\\d+), pending \\d+$",
          Pattern.MULTILINE);
  private static final Pattern BAD_LINES =
      Pattern.compile("^.*\\*\\*\\* (FAILED|ABORTED) \\*\\*\\*.*$", Pattern.MULTILINE);
  private static final String REASON_PREFIX = "tcp-blocks.";

  static final String TABLE_HEAD =
      """
      | Suite | Passed | Failed | Canceled | Ignored | Blocks by READ | by TCP, and why | Seconds |
      |---|---|---|---|---|---|---|---|
      """;

  /** What is wrong with it, a line each; empty if the suite has passed. */
  List<String> problems() {
    List<String> problems = new ArrayList<>();
    if (exit != 0) {
      problems.add("exit code " + exit);
    }
    if (count(1) == 0) {
      problems.add("no test passed");
    }
    Matcher bad = BAD_LINES.matcher(output);
    while (bad.find()) {
      problems.add(bad.group());
    }
    if (suite.reads == SparkSuite.Reads.SOME && counter("read-blocks") == 0) {
      problems.add("no block came by READ");
    }
    if (suite.reads == SparkSuite.Reads.NONE && counter("read-blocks") != 0) {
      problems.add("blocks came by READ: from now on the suite must have some");
    }
    return problems;
  }

  /** A row below {@link #TABLE_HEAD}. */
  String tableRow() {
    return String.format(
        Locale.ROOT,
        "| %s | %d | %d | %d | %d | %d | %s | %d |%n",
        suite.scalaTest.getSimpleName(),
        count(1),
        count(2),
        count(3),
        count(4),
        counter("read-blocks"),
        tcp(),
        seconds);
  }

  private String tcp() {
    String reasons =
        counters.entrySet().stream()
            .filter(counter -> counter.getKey().startsWith(REASON_PREFIX) && counter.getValue() > 0)
            .map(
                reason ->
                    reason.getKey().substring(REASON_PREFIX.length()) + " " + reason.getValue())
            .collect(Collectors.joining(", "));
    return counter("tcp-blocks") + (reasons.isEmpty() ? "" : " (" + reasons + ")");
  }

  private long counter(String label) {
    return counters.getOrDefault(label, 0L);
  }

  /** A number of the last line that ScalaTest prints; 0 if it didn't come to print it. */
  private int count(int group) {
    Matcher tests = TESTS.matcher(output);
    return tests.find() ? Integer.parseInt(tests.group(group)) : 0;
  }
}
