package org.sparkrdma.bench.wire;

import java.util.Iterator;
import java.util.List;
import java.util.OptionalDouble;

/** Takes the number out of what ib_read_bw and ib_read_lat print. */
final class PerftestOutput {

  private static final int AVERAGE_BANDWIDTH = 3;
  private static final int MESSAGE_RATE = 4;
  private static final int TYPICAL_LATENCY = 4;
  private static final double THOUSANDS_PER_MILLION = 1e3;

  private PerftestOutput() {}

  /**
   * The average bandwidth in MiB/s, the thousands of reads a second, or the typical (median)
   * latency in microseconds.
   *
   * @return empty if there's no such row, or its number is no measurement: perftest prints 0 or inf
   *     where it couldn't find out the processor's clock rate
   */
  static OptionalDouble value(WireCase.Kind kind, String output) {
    return switch (kind) {
      case BANDWIDTH -> number(output, "BW average[MB/sec]", AVERAGE_BANDWIDTH, 1);
      case RATE -> number(output, "MsgRate[Mpps]", MESSAGE_RATE, THOUSANDS_PER_MILLION);
      case LATENCY -> number(output, "t_typical[usec]", TYPICAL_LATENCY, 1);
    };
  }

  private static OptionalDouble number(String output, String title, int column, double factor) {
    Iterator<String> lines = output.lines().iterator();
    while (lines.hasNext()) {
      String line = lines.next().strip();
      if (line.startsWith("#bytes") && line.contains(title) && lines.hasNext()) {
        List<String> words = List.of(lines.next().strip().split("\\s+"));
        return words.size() > column ? number(words.get(column), factor) : OptionalDouble.empty();
      }
    }
    return OptionalDouble.empty();
  }

  private static OptionalDouble number(String word, double factor) {
    try {
      double value = Double.parseDouble(word) * factor;
      return value > 0 && Double.isFinite(value)
          ? OptionalDouble.of(value)
          : OptionalDouble.empty();
    } catch (NumberFormatException e) {
      // "inf", "nan".
      return OptionalDouble.empty();
    }
  }
}
