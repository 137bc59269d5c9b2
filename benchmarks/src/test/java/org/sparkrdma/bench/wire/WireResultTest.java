package org.sparkrdma.bench.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.sparkrdma.bench.wire.Sample.Tool;

class WireResultTest {

  /** The machine is twice as slow in the second round; ours is at 0.8, 1.0 and 0.9 of perftest. */
  private static List<Sample> samples() {
    List<Sample> samples = new ArrayList<>();
    double[] perftest = {1000, 500, 1000};
    double[] ours = {800, 500, 900};
    for (WireCase wireCase : WireCase.values()) {
      for (int round = 1; round <= 3; round++) {
        samples.add(new Sample(round, wireCase, Tool.PERFTEST, perftest[round - 1]));
        samples.add(new Sample(round, wireCase, Tool.OURS, ours[round - 1]));
      }
    }
    return samples;
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
    WireResult.Row row = new WireResult("rxe", samples()).rows().getFirst();
    assertEquals(new Spread(0.9, 0.8, 1.0), row.ratio());
    assertEquals(1000, row.perftest().median());
    assertEquals(800, row.ours().median());
  }

  @Test
  void ratioLinesNameLinkAndCase() {
    assertEquals(
        List.of(
            "RATIO wire.rxe.1MiB.bandwidth 0.90",
            "RATIO wire.rxe.64KiB.bandwidth 0.90",
            "RATIO wire.rxe.latency 0.90"),
        new WireResult("rxe", samples()).ratioLines());
  }

  @Test
  void bandwidthShouldBeAtLeastAndLatencyAtMost() {
    assertTrue(WireCase.MEBIBYTE_BANDWIDTH.isReached(0.95));
    assertFalse(WireCase.MEBIBYTE_BANDWIDTH.isReached(0.94));
    assertTrue(WireCase.LATENCY.isReached(1.25));
    assertFalse(WireCase.LATENCY.isReached(1.26));
    String table = new WireResult("siw", samples()).table();
    assertTrue(table.contains(">= 0.95  missed"), table);
    assertTrue(table.contains("<= 1.25  reached"), table);
  }

  @Test
  void aMissingSampleIsAnError() {
    List<Sample> samples = samples();
    samples.removeLast();
    assertThrows(IllegalArgumentException.class, () -> new WireResult("rxe", samples));
  }

  @Test
  void samplesTravelAsLines() {
    Sample sample = new Sample(2, WireCase.LATENCY, Tool.OURS, 43.125);
    assertEquals("SAMPLE 2 latency ours 43.125", sample.line());
    assertEquals(Optional.of(sample), Sample.parse(sample.line()));
    assertEquals(Optional.empty(), Sample.parse("STEP round 1: latency by ours"));
  }

  @Test
  void csvHasEverySample() {
    List<String> lines = new WireResult("rxe", samples()).csv().lines().toList();
    assertEquals("link,case,unit,round,tool,value", lines.getFirst());
    assertEquals("rxe,1MiB.bandwidth,MiB/s,1,perftest,1000.000", lines.get(1));
    assertEquals(1 + samples().size(), lines.size());
  }
}
