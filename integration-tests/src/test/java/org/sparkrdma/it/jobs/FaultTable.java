package org.sparkrdma.it.jobs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.sparkrdma.it.jobs.TestApplication.Reading;

/**
 * The page of faults that these tests make: {@code target/faults.md}, a Markdown table of all rows
 * that there are in {@code target/faults/}, whatever test run each is of. Where no Maven runs, as
 * in the test kernel, rows are only printed.
 */
final class FaultTable {

  private static final String HEAD =
      "| Fault | Fabric | What a user should see | Seen | Seconds |\n|---|---|---|---|---|\n";

  private FaultTable() {}

  /**
   * Adds a row, in place of one of the same fault and fabric.
   *
   * @param way verbs; or direct or tcp, of the software fabric, if the tests' fabric is that
   * @param expected what a user should see, in a few words
   */
  static synchronized void add(
      String fault, String way, String expected, String seen, double seconds) throws IOException {
    boolean verbs = way.equals("verbs") || TestApplication.FABRIC.equals("verbs");
    String fabric = verbs ? "verbs" : "software, " + way;
    String row =
        String.format(
            Locale.ROOT, "| %s | %s | %s | %s | %.1f |", fault, fabric, expected, seen, seconds);
    System.out.println("fault: " + row);
    String target = System.getProperty("sparkrdma.it.faultTable");
    if (target == null) {
      return;
    }
    Path page = Path.of(target);
    Path rows = Files.createDirectories(page.resolveSibling("faults"));
    String name = (fault + "-" + fabric).toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-");
    Files.writeString(rows.resolve(name + ".md"), row + "\n");
    List<String> all = new ArrayList<>();
    try (var files = Files.list(rows)) {
      for (Path file : files.sorted().toList()) {
        all.add(Files.readString(file));
      }
    }
    Files.writeString(page, HEAD + String.join("", all));
  }

  /** Adds a row of a job that came to its end. */
  static void add(
      String fault, String way, String expected, Reading reading, List<String> rightRows)
      throws IOException {
    add(fault, way, expected, seen(reading, rightRows), reading.seconds());
  }

  private static String seen(Reading reading, List<String> rightRows) {
    List<String> seen = new ArrayList<>();
    seen.add(reading.rows().equals(rightRows) ? "same rows" : "**other rows**");
    seen.add(reading.readBlocks() + " blocks by READ");
    if (!reading.tcpBlocks().isEmpty()) {
      seen.add(
          "by TCP: "
              + reading.tcpBlocks().entrySet().stream()
                  .map(reason -> reason.getValue() + " " + reason.getKey())
                  .collect(Collectors.joining(", ")));
    }
    if (reading.fetchFailures() > 0) {
      seen.add(reading.fetchFailures() + " fetch failures");
    }
    return String.join("; ", seen);
  }
}
