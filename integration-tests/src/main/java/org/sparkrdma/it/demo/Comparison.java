package org.sparkrdma.it.demo;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import org.sparkrdma.it.terasort.Report;

/**
 * All rounds: the table for people, the line for programs, and the verdict.
 *
 * @param rounds 1 or more
 */
record Comparison(List<Round> rounds) {

  static final String READ_BLOCKS = "read-blocks";
  static final String READ_BYTES = "read-bytes";
  static final String TCP_BLOCKS = "tcp-blocks";

  Comparison {
    rounds = List.copyOf(rounds);
  }

  /** Why the demo fails, for people; empty if it doesn't. */
  List<String> failures() {
    List<String> failures = new ArrayList<>();
    for (int i = 0; i < rounds.size(); i++) {
      Report rdma = rounds.get(i).rdma();
      String problems = rdma.text(Report.PROBLEMS);
      if (!problems.isEmpty()) {
        failures.add("round " + (i + 1) + ": the sorted output isn't valid: " + problems);
      }
      if (rdma.counter(READ_BLOCKS) == 0) {
        failures.add("round " + (i + 1) + ": no block came by READ");
      }
    }
    return failures;
  }

  /** One row for each sort. */
  String table() {
    StringBuilder table = new StringBuilder();
    row(table, "round", "shuffle", "seconds", "shuffle MB", "remote MB", "blocks", "READ", "TCP");
    for (int i = 0; i < rounds.size(); i++) {
      String number = Integer.toString(i + 1);
      row(table, number, "sort", rounds.get(i).sort(), "-", blocks(rounds.get(i).sort()));
      Report rdma = rounds.get(i).rdma();
      row(table, number, "rdma", rdma, count(rdma, READ_BLOCKS), tcp(rdma));
    }
    return table.toString();
  }

  private static void row(
      StringBuilder table, String number, String name, Report report, String read, String tcp) {
    row(
        table,
        number,
        name,
        decimal(Double.parseDouble(report.text(Report.SECONDS)), 2),
        decimal(report.number(Report.BYTES_WRITTEN) / 1e6, 1),
        decimal(report.number(Report.REMOTE_BYTES) / 1e6, 1),
        blocks(report),
        read,
        tcp);
  }

  private static void row(StringBuilder table, Object... cells) {
    table.append(String.format(Locale.ROOT, "%5s  %-7s  %8s  %10s  %9s  %7s  %7s  %s%n", cells));
  }

  private static String blocks(Report report) {
    return report.text(Report.REMOTE_BLOCKS);
  }

  private static String count(Report report, String label) {
    return Long.toString(report.counter(label));
  }

  /** How many, and what for: {@code 3 (pool-dry 2, deadline 1)}. */
  private static String tcp(Report report) {
    String prefix = Report.COUNTER + TCP_BLOCKS + ".";
    List<String> reasons = new ArrayList<>();
    report
        .values()
        .forEach(
            (name, value) -> {
              if (name.startsWith(prefix) && !value.equals("0")) {
                reasons.add(name.substring(prefix.length()) + " " + value);
              }
            });
    String total = count(report, TCP_BLOCKS);
    return reasons.isEmpty() ? total : total + " (" + String.join(", ", reasons) + ")";
  }

  /** The last line: blocks and bytes are sums over the rounds, seconds are medians. */
  String result() {
    boolean valid = rounds.stream().allMatch(round -> round.rdma().text(Report.PROBLEMS).isEmpty());
    return String.format(
        Locale.ROOT,
        "RESULT validated=%s records=%d read_blocks=%d tcp_blocks=%d read_bytes=%d "
            + "sort_seconds=%s rdma_seconds=%s",
        valid,
        rounds.getFirst().rdma().number(Report.RECORDS),
        sum(READ_BLOCKS),
        sum(TCP_BLOCKS),
        sum(READ_BYTES),
        medianSeconds(Round::sort),
        medianSeconds(Round::rdma));
  }

  private long sum(String label) {
    return rounds.stream().mapToLong(round -> round.rdma().counter(label)).sum();
  }

  private String medianSeconds(Function<Round, Report> side) {
    double[] sorted =
        rounds.stream()
            .mapToDouble(round -> Double.parseDouble(side.apply(round).text(Report.SECONDS)))
            .sorted()
            .toArray();
    int middle = sorted.length / 2;
    double median =
        sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    return decimal(median, 3);
  }

  private static String decimal(double value, int digits) {
    return String.format(Locale.ROOT, "%." + digits + "f", value);
  }
}
