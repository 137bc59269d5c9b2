package org.sparkrdma.bench.all;

import java.util.List;
import java.util.Optional;

/** A figure, as benchmarks print them for programs: {@code RATIO name value}. */
record RatioLine(String name, double value) {

  /** Empty if the line is something else. */
  static Optional<RatioLine> parse(String line) {
    List<String> words = List.of(line.strip().split(" "));
    if (words.size() != 3 || !words.getFirst().equals("RATIO")) {
      return Optional.empty();
    }
    try {
      return Optional.of(new RatioLine(words.get(1), Double.parseDouble(words.get(2))));
    } catch (NumberFormatException e) {
      return Optional.empty();
    }
  }
}
