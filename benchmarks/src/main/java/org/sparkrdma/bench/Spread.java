package org.sparkrdma.bench;

import java.util.Arrays;

/**
 * The middle and the ends of some values.
 *
 * @param median of an even number, the mean of the two in the middle
 */
public record Spread(double median, double least, double most) {

  /** Of 1 value or more, in any order. */
  public static Spread of(double... values) {
    if (values.length == 0) {
      throw new IllegalArgumentException("no values");
    }
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    int half = sorted.length / 2;
    double median = sorted.length % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
    return new Spread(median, sorted[0], sorted[sorted.length - 1]);
  }
}
