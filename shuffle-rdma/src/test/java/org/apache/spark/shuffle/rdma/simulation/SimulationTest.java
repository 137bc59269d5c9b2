package org.apache.spark.shuffle.rdma.simulation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.apache.spark.shuffle.rdma.metrics.FallbackReason;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Whatever goes wrong, in whatever order: each block comes once and with its bytes, or fails once
 * as Spark's own client failed; each wait ends; the reason told is the first one; nothing stays.
 */
final class SimulationTest {

  private static final int SEEDS = Boolean.getBoolean("rdma.extended") ? 1_000_000 : 20_000;

  /** To look at one that failed: -Dseed=N. */
  private static final Long ONE_SEED = Long.getLong("seed");

  private static final int LEAST_OFTEN = 100;

  @TempDir private Path directory;
  private MapFiles files;
  private Quiet quiet;

  @BeforeEach
  void start() throws IOException {
    files = new MapFiles(directory);
    quiet = new Quiet();
  }

  @AfterEach
  void logAgain() {
    quiet.close();
  }

  @Test
  void nothingIsLostAndNothingStays() {
    if (ONE_SEED != null) {
      System.out.println(Simulation.run(ONE_SEED, files, true));
      return;
    }
    Tally sum = new Tally();
    // Each seed is one thread's, two go on side by side.
    List<String> failures =
        IntStream.range(0, SEEDS)
            .parallel()
            .mapToObj(seed -> run(seed, sum))
            .filter(Objects::nonNull)
            .toList();
    assertEquals(List.of(), failures, "to see one: -Dtest=SimulationTest -Dseed=N");
    System.out.println(SEEDS + " seeds: " + sum);
    for (Fault fault : Fault.values()) {
      assertTrue(sum.faults.getOrDefault(fault, 0L) >= LEAST_OFTEN, fault + " is too rare");
    }
    for (FallbackReason reason : FallbackReason.values()) {
      assertTrue(sum.reasons.getOrDefault(reason, 0L) >= LEAST_OFTEN, reason + " is too rare");
    }
  }

  private @Nullable String run(long seed, Tally sum) {
    try {
      Tally tally = Simulation.run(seed, files, false);
      synchronized (sum) {
        sum.add(tally);
      }
      return null;
    } catch (AssertionError e) {
      return e.getMessage();
    }
  }

  @Test
  void aSeedAlwaysTakesTheSameCourse() {
    for (int seed = 0; seed < 200; seed++) {
      assertEquals(
          Simulation.run(seed, files, false).fingerprint,
          Simulation.run(seed, files, false).fingerprint,
          "seed " + seed);
    }
  }
}
