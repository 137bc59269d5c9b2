package org.sparkrdma.bench.fetch;

import java.util.List;
import java.util.Locale;
import org.sparkrdma.bench.Sample;
import org.sparkrdma.bench.Spread;

/** The medians of what was measured, a line for each block size and side. */
final class FigureTable {

  private static final String FORMAT = "%-6s %-6s %8s %10s   %7s %7s %7s%n";
  private static final double MILLIS_PER_SECOND = 1e3;

  private final List<Sample> samples;

  FigureTable(List<Sample> samples) {
    this.samples = samples;
  }

  /** For people. */
  String text() {
    StringBuilder text = new StringBuilder();
    text.append(String.format(Locale.ROOT, FORMAT, "", "", "", "", "CPU", "s per", "GiB"));
    text.append(
        String.format(
            Locale.ROOT, FORMAT, "blocks", "by", "GB/s", "blocks/s", "client", "server", "both"));
    for (BlockSizes sizes : BlockSizes.values()) {
      for (Side side : Side.values()) {
        if (!values(sizes, Figures.THROUGHPUT, side).isEmpty()) {
          text.append(line(sizes, side));
        }
      }
    }
    return text.toString();
  }

  private String line(BlockSizes sizes, Side side) {
    return String.format(
        Locale.ROOT,
        FORMAT,
        sizes.label(),
        side.label(),
        number("%.2f", median(sizes, Figures.THROUGHPUT, side) / MILLIS_PER_SECOND),
        number("%.0f", median(sizes, Figures.BLOCKS, side)),
        number("%.3f", median(sizes, Figures.CLIENT_CPU, side) / MILLIS_PER_SECOND),
        number("%.3f", median(sizes, Figures.SERVER_CPU_PER_GIB, side) / MILLIS_PER_SECOND),
        number("%.3f", median(sizes, Figures.CPU, side) / MILLIS_PER_SECOND));
  }

  private static String number(String format, double value) {
    return String.format(Locale.ROOT, format, value);
  }

  private double median(BlockSizes sizes, String figure, Side side) {
    return Spread.of(
            values(sizes, figure, side).stream().mapToDouble(Double::doubleValue).toArray())
        .median();
  }

  private List<Double> values(BlockSizes sizes, String figure, Side side) {
    String label = sizes.label() + "." + figure;
    return samples.stream()
        .filter(one -> one.caseLabel().equals(label) && one.side().equals(side.label()))
        .map(Sample::value)
        .toList();
  }
}
