package org.sparkrdma.bench.jobs;

import java.util.Locale;
import java.util.stream.DoubleStream;
import org.apache.commons.math3.distribution.TDistribution;
import org.apache.commons.math3.stat.descriptive.SummaryStatistics;
import org.sparkrdma.bench.Spread;

/**
 * Ours over another's, of the same rounds.
 *
 * @param spread of the rounds' ratios
 * @param low where the confidence interval begins; NaN with one round
 * @param high where it ends; NaN with one round
 */
record Ratio(Spread spread, double low, double high) {

  private static final double CONFIDENCE = 0.95;

  /**
   * The interval is Student's t of the ratios' logarithms: with a probability of 95 % it holds the
   * geometric mean of all rounds that could be, if their logarithms are about normal.
   *
   * @param ratios 1 or more, each above 0
   */
  static Ratio of(double... ratios) {
    SummaryStatistics logs = new SummaryStatistics();
    DoubleStream.of(ratios).map(Math::log).forEach(logs::addValue);
    Spread spread = Spread.of(ratios);
    int count = ratios.length;
    if (count < 2) {
      return new Ratio(spread, Double.NaN, Double.NaN);
    }
    double t = new TDistribution(count - 1).inverseCumulativeProbability((1 + CONFIDENCE) / 2);
    double half = t * logs.getStandardDeviation() / Math.sqrt(count);
    return new Ratio(spread, Math.exp(logs.getMean() - half), Math.exp(logs.getMean() + half));
  }

  double median() {
    return spread.median();
  }

  /** For tables. */
  String text() {
    String ends =
        String.format(
            Locale.ROOT, "%5.2f  (%.2f-%.2f)", spread.median(), spread.least(), spread.most());
    return Double.isNaN(low) ? ends : ends + String.format(Locale.ROOT, "  [%.2f-%.2f]", low, high);
  }
}
