package org.sparkrdma.bench.wire;

import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * One measurement, which travels as a line of text from where the device is.
 *
 * @param round from 1; both tools measure each case once a round
 * @param value in the unit of the case's kind
 */
record Sample(int round, WireCase wireCase, Tool tool, double value) {

  private static final String WORD = "SAMPLE";

  /** Who measured. */
  enum Tool {
    PERFTEST,
    OURS;

    String label() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** The line of this sample. */
  String line() {
    return String.format(
        Locale.ROOT, "%s %d %s %s %.3f", WORD, round, wireCase.label(), tool.label(), value);
  }

  /** The sample of a line; empty if the line is something else. */
  static Optional<Sample> parse(String line) {
    List<String> words = List.of(line.strip().split(" "));
    if (words.size() != 5 || !words.getFirst().equals(WORD)) {
      return Optional.empty();
    }
    return Optional.of(
        new Sample(
            Integer.parseInt(words.get(1)),
            WireCase.of(words.get(2)),
            Tool.valueOf(words.get(3).toUpperCase(Locale.ROOT)),
            Double.parseDouble(words.get(4))));
  }
}
