package org.sparkrdma.bench.wire;

import java.util.Iterator;
import java.util.List;
import java.util.OptionalDouble;

/** Takes the number out of what ib_read_bw and ib_read_lat print. */
final class PerftestOutput {

  private static final int AVERAGE_BANDWIDTH = 3;
  private static final int TYPICAL_LATENCY = 4;

  private PerftestOutput() {}

  /**
   * The average bandwidth in MiB/s or the typical (median) latency in microseconds.
   *
   * @return empty if there's no such row, or its number is no measurement: perftest prints 0 or inf
   *     where it couldn't find out the processor's clock rate
   */
  static OptionalDouble value(WireCase.Kind kind, String output) {
    boolean bandwidth = kind == WireCase.Kind.BANDWIDTH;
    String title = bandwidth ? "BW average[MB/sec]" : "t_typical[usec]";
    int column = bandwidth ? AVERAGE_BANDWIDTH : TYPICAL_LATENCY;
    Iterator<String> lines = output.lines().iterator();
    while (lines.hasNext()) {
      String line = lines.next().strip();
      if (line.startsWith("#bytes") && line.contains(title) && lines.hasNext()) {
        List<String> words = List.of(lines.next().strip().split("\\s+"));
        return words.size() > column ? number(words.get(column)) : OptionalDouble.empty();
      }
    }
    return OptionalDouble.empty();
  }

  private static OptionalDouble number(String word) {
    try {
      double value = Double.parseDouble(word);
      return value > 0 && Double.isFinite(value)
          ? OptionalDouble.of(value)
          : OptionalDouble.empty();
    } catch (NumberFormatException e) {
      // "inf", "nan".
      return OptionalDouble.empty();
    }
  }
}
