package org.sparkrdma.bench;

import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Prints what a run brought and keeps it in {@code benchmarks/results/}. */
public final class Results {

  private Results() {}

  /** The folder of this source tree, which {@code ./bench} passes on. */
  static Path top() {
    String value = System.getProperty("sparkrdma.bench.top");
    if (value == null) {
      throw new IllegalStateException(
          "the system property sparkrdma.bench.top isn't set: use ./bench");
    }
    return Path.of(value);
  }

  /**
   * Writes a CSV file of all samples and a chart, and prints tables and RATIO lines.
   *
   * @param benchmark its name, with which the files' names begin
   * @param link the driver or device, with which they end
   */
  public static void report(String benchmark, String link, List<Comparison> comparisons)
      throws IOException {
    Path folder = top().resolve("benchmarks/results");
    Files.createDirectories(folder);
    Path csv = folder.resolve(benchmark + "-" + link + ".csv");
    List<String> lines = new ArrayList<>(List.of("link,case,unit,round,side,value"));
    comparisons.forEach(comparison -> lines.addAll(comparison.csvLines(link)));
    Files.write(csv, lines);
    PrintStream out = System.out;
    for (Comparison comparison : comparisons) {
      out.println();
      out.print(comparison.table());
    }
    out.println();
    out.println("samples: " + csv);
    Path chart = folder.resolve(benchmark + "-" + link + ".png");
    try {
      RatioChart.write(comparisons, chart);
      out.println("chart:   " + chart);
    } catch (IOException | UncheckedIOException | UnsatisfiedLinkError e) {
      out.println("chart:   none (" + e + "); Java needs fontconfig and libfreetype to draw");
    }
    out.println();
    comparisons.forEach(comparison -> comparison.ratioLines().forEach(out::println));
    out.flush();
  }
}
