package org.sparkrdma.bench.hibench;

import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Map;

/** Writes {@code report.csv}, {@code report.md} and {@code report.png}, and prints the table. */
final class ReportFiles {

  private ReportFiles() {}

  static void write(
      Measurements measurements, Map<String, String> facts, Path folder, PrintStream out)
      throws IOException {
    CsvReport.write(measurements, folder.resolve("report.csv"));
    MarkdownReport.write(measurements, facts, folder.resolve("report.md"));
    out.println();
    MarkdownReport.table(measurements).forEach(out::println);
    out.println();
    out.println("report: " + folder.resolve("report.md"));
    Path chart = folder.resolve("report.png");
    try {
      ChartReport.write(measurements, chart);
      out.println("chart:  " + chart);
    } catch (IOException | UncheckedIOException | UnsatisfiedLinkError e) {
      out.println("chart:  none (" + e + "); Java needs fontconfig and libfreetype to draw");
    }
    out.flush();
  }
}
