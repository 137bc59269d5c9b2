package org.sparkrdma.bench.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.sparkrdma.bench.Aim;
import org.sparkrdma.bench.ComparedCase;
import org.sparkrdma.bench.GrowthCase;

/** What is measured, by blocks per request, and what it should reach. */
final class EngineCases {

  static final List<Integer> BLOCKS = List.of(1, 8, 64, 1_000);

  /** What Spark's interfaces force on anyone. */
  static final String FORCED = "forced";

  /** Blocks per request whose figures have aims. */
  private static final int AIMED = 64;

  static final double MAX_NANOS = 1_000;
  static final double MAX_BYTES = 200;

  private EngineCases() {}

  static String nanos(int blocks) {
    return blocks + ".ns";
  }

  /** On our side, beyond those that are forced. */
  static String bytes(int blocks) {
    return blocks + ".bytes";
  }

  static List<GrowthCase> all() {
    List<GrowthCase> all = new ArrayList<>();
    for (int blocks : BLOCKS) {
      all.add(grown(nanos(blocks), "ns", aim(blocks, MAX_NANOS), blocks));
    }
    for (int blocks : BLOCKS) {
      all.add(grown(bytes(blocks), "bytes", aim(blocks, MAX_BYTES), blocks));
    }
    return all;
  }

  private static Optional<Aim> aim(int blocks, double most) {
    return blocks == AIMED ? Optional.of(new Aim(false, most)) : Optional.empty();
  }

  private static GrowthCase grown(String label, String unit, Optional<Aim> aim, int blocks) {
    return new GrowthCase(new ComparedCase(label, unit, aim), unit, blocks);
  }
}
