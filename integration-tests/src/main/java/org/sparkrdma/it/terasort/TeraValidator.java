package org.sparkrdma.it.terasort;

import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/**
 * Judges a sorted output by its partitions' reports: order within and across them, and that it
 * holds the input's records, all and unchanged.
 */
public final class TeraValidator {

  private TeraValidator() {}

  /**
   * What is wrong, for people; empty if nothing is.
   *
   * @param reports one of each partition, by index
   * @param partitions how many there must be
   * @param input what was sorted
   */
  public static List<String> problems(List<PartitionReport> reports, int partitions, Totals input) {
    List<String> problems = new ArrayList<>();
    if (reports.size() != partitions) {
      problems.add(reports.size() + " partitions instead of " + partitions);
    }
    Totals sum = Totals.NONE;
    byte[] last = null;
    int lastIndex = -1;
    for (PartitionReport report : reports) {
      sum = sum.plus(report.totals());
      if (report.firstOutOfOrder() >= 0) {
        problems.add(
            "partition "
                + report.index()
                + ": record "
                + report.firstOutOfOrder()
                + " is below the one before it");
      }
      byte[] first = report.first();
      if (last != null && first != null && TeraRecords.compareKeys(last, first) > 0) {
        problems.add(
            "partition "
                + report.index()
                + " starts with key "
                + HexFormat.of().formatHex(first)
                + ", below the last key of partition "
                + lastIndex
                + ", "
                + HexFormat.of().formatHex(last));
      }
      if (report.last() != null) {
        last = report.last();
        lastIndex = report.index();
      }
    }
    if (sum.records() != input.records()) {
      problems.add(sum.records() + " records instead of " + input.records());
    } else if (sum.checksum() != input.checksum()) {
      problems.add("the records changed: " + sum + ", but the input has " + input);
    }
    return problems;
  }
}
