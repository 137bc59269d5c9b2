package org.sparkrdma.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ComparisonTest {

  private static final ComparedCase BANDWIDTH =
      new ComparedCase("1MiB.bandwidth", "MiB/s", Optional.of(new Aim(true, 0.95)));
  private static final ComparedCase LATENCY =
      new ComparedCase("latency", "us", Optional.of(new Aim(false, 1.25)));
  private static final ComparedCase COPY = new ComparedCase("copy.4KiB", "us", Optional.empty());
  private static final List<ComparedCase> CASES = List.of(BANDWIDTH, LATENCY, COPY);

  /** The machine is twice as slow in the second round; ours is at 0.8, 1.0 and 0.9 of the other. */
  private static List<Sample> samples() {
    List<Sample> samples = new ArrayList<>();
    double[] other = {1000, 500, 1000};
    double[] ours = {800, 500, 900};
    for (ComparedCase compared : CASES) {
      for (int round = 1; round <= 3; round++) {
        samples.add(new Sample(round, compared.label(), "other", other[round - 1]));
        samples.add(new Sample(round, compared.label(), "ours", ours[round - 1]));
      }
    }
    return samples;
  }

  private static Comparison comparison(List<Sample> samples) {
    return new Comparison("wire.rxe", new Comparison.Sides("other", "ours"), CASES, samples);
  }

  @Test
  void medianOfOddAndEvenNumbers() {
    assertEquals(new Spread(2, 1, 9), Spread.of(9, 1, 2));
    assertEquals(new Spread(2.5, 1, 9), Spread.of(9, 1, 2, 3));
    assertEquals(new Spread(7, 7, 7), Spread.of(7));
    assertThrows(IllegalArgumentException.class, Spread::of);
  }

  @Test
  void ratiosAreOfTheSameRound() {
    Comparison.Row row = comparison(samples()).rows().getFirst();
    assertEquals(new Spread(0.9, 0.8, 1.0), row.ratio());
    assertEquals(1000, row.reference().median());
    assertEquals(800, row.measured().median());
  }

  @Test
  void ratioLinesNameLinkAndCase() {
    assertEquals(
        List.of(
            "RATIO wire.rxe.1MiB.bandwidth 0.90",
            "RATIO wire.rxe.latency 0.90",
            "RATIO wire.rxe.copy.4KiB 0.90"),
        comparison(samples()).ratioLines());
  }

  @Test
  void anAimIsAtLeastOrAtMost() {
    assertTrue(new Aim(true, 0.95).isReachedBy(0.95));
    assertFalse(new Aim(true, 0.95).isReachedBy(0.94));
    assertTrue(new Aim(false, 1.25).isReachedBy(1.25));
    assertFalse(new Aim(false, 1.25).isReachedBy(1.26));
  }

  @Test
  void theTableSaysWhetherAnAimIsReachedWhereThereIsOne() {
    List<String> lines = comparison(samples()).table().lines().toList();
    assertTrue(lines.get(1).endsWith("aim >= 0.95  missed"), lines.get(1));
    assertTrue(lines.get(2).endsWith("aim <= 1.25  reached"), lines.get(2));
    assertTrue(lines.get(3).endsWith("(0.80-1.00)"), lines.get(3));
  }

  @Test
  void aMissingSampleIsAnError() {
    List<Sample> samples = samples();
    samples.removeLast();
    assertThrows(IllegalArgumentException.class, () -> comparison(samples));
  }

  @Test
  void samplesTravelAsLines() {
    Sample sample = new Sample(2, "latency", "ours", 43.125);
    assertEquals("SAMPLE 2 latency ours 43.125", sample.line());
    assertEquals(Optional.of(sample), Sample.parse(sample.line()));
    assertEquals(Optional.empty(), Sample.parse("STEP round 1: latency by ours"));
  }

  @Test
  void csvHasEverySample() {
    List<String> lines = comparison(samples()).csvLines("rxe");
    assertEquals("rxe,1MiB.bandwidth,MiB/s,1,other,1000.000", lines.getFirst());
    assertEquals(samples().size(), lines.size());
  }
}
