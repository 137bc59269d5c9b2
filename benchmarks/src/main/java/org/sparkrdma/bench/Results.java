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
  public static Path top() {
    String value = System.getProperty("sparkrdma.bench.top");
    if (value == null) {
      throw new IllegalStateException(
          "the system property sparkrdma.bench.top isn't set: use ./bench");
    }
    return Path.of(value);
  }

  /** Where results are kept; it's made if it isn't there. */
  public static Path folder() throws IOException {
    return Files.createDirectories(top().resolve("benchmarks/results"));
  }

  /**
   * Writes a CSV file of all samples and a chart, and prints tables and RATIO lines.
   *
   * @param benchmark its name, with which the files' names begin
   * @param link the driver or device, with which they end
   */
  public static void report(String benchmark, String link, List<Comparison> comparisons)
      throws IOException {
    Path folder = folder();
    Path csv = folder.resolve(benchmark + "-" + link + ".csv");
    List<String> lines = new ArrayList<>(List.of("link,case,unit,round,side,value"));
    comparisons.forEach(comparison -> lines.addAll(comparison.csvLines(link)));
    // Comparisons may share samples.
    Files.write(csv, lines.stream().distinct().toList());
    PrintStream out = System.out;
    for (Comparison comparison : comparisons) {
      out.println();
      out.print(comparison.table());
    }
    out.println();
    out.println("samples: " + csv);
    Path chart = folder.resolve(benchmark + "-" + link + ".png");
    draw(chart, out, () -> RatioChart.write(comparisons, chart));
    out.println();
    comparisons.forEach(comparison -> comparison.ratioLines().forEach(out::println));
    out.flush();
  }

  /** The same for figures that grow with the size of the work. */
  public static void report(Growth growth) throws IOException {
    Path folder = top().resolve("benchmarks/results");
    Files.createDirectories(folder);
    Path csv = folder.resolve(growth.name() + ".csv");
    Files.write(csv, growth.csvLines());
    PrintStream out = System.out;
    out.println();
    out.print(growth.table());
    out.println();
    out.println("samples: " + csv);
    Path chart = folder.resolve(growth.name() + ".png");
    draw(chart, out, () -> GrowthChart.write(growth, chart));
    out.println();
    growth.ratioLines().forEach(out::println);
    out.flush();
  }

  private interface Drawing {
    void draw() throws IOException;
  }

  private static void draw(Path chart, PrintStream out, Drawing drawing) {
    try {
      drawing.draw();
      out.println("chart:   " + chart);
    } catch (IOException | UncheckedIOException | UnsatisfiedLinkError e) {
      out.println("chart:   none (" + e + "); Java needs fontconfig and libfreetype to draw");
    }
  }
}
