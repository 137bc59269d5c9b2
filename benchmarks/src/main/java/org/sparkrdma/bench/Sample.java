package org.sparkrdma.bench;

import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * One measurement, which travels as a line of text from where the device is. Names have no spaces.
 *
 * @param round from 1; every side measures each case once a round
 * @param caseLabel {@link ComparedCase#label()}
 * @param side who or what was measured
 * @param value in the case's unit
 */
public record Sample(int round, String caseLabel, String side, double value) {

  private static final String WORD = "SAMPLE";

  /** The line of this sample. */
  public String line() {
    return String.format(Locale.ROOT, "%s %d %s %s %.3f", WORD, round, caseLabel, side, value);
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
            words.get(2),
            words.get(3),
            Double.parseDouble(words.get(4))));
  }
}
