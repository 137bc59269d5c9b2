package org.sparkrdma.bench.fetch;

import java.util.SplittableRandom;

/** How large blocks are. */
enum BlockSizes {
  /** What many maps times many reducers leave. */
  SMALL("4KiB", 4 << 10),
  MEDIUM("64KiB", 64 << 10),
  LARGE("1MiB", 1 << 20),

  /**
   * Log-normal with a median of 16 KiB: a tenth is under 2.4 KiB, a tenth over 110 KiB, and those
   * have more than half of the bytes. One block of eight is empty, and isn't fetched.
   */
  MIX("mix", 42 << 10) {
    @Override
    int bytes(int map, int reducer) {
      SplittableRandom random = new SplittableRandom(((long) map << 32) | reducer);
      if (random.nextInt(EMPTY_EVERY) == 0) {
        return 0;
      }
      double bytes = MEDIAN_BYTES * Math.exp(SIGMA * random.nextGaussian());
      return (int) Math.clamp(bytes, MIN_BYTES, MAX_BYTES);
    }
  };

  private static final int EMPTY_EVERY = 8;
  private static final double MEDIAN_BYTES = 16 << 10;
  private static final double SIGMA = 1.5;
  private static final double MIN_BYTES = 64;
  private static final double MAX_BYTES = 4 << 20;

  private final String label;
  private final int mean;

  BlockSizes(String label, int mean) {
    this.label = label;
    this.mean = mean;
  }

  /** Its part of the names in RATIO lines. */
  String label() {
    return label;
  }

  /** Of all blocks, roughly, in bytes. */
  int mean() {
    return mean;
  }

  /** Of this block; 0 for an empty one. */
  int bytes(int map, int reducer) {
    return mean;
  }
}
