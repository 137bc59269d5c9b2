package org.apache.spark.shuffle.rdma.fetch;

import org.apache.spark.shuffle.rdma.memory.IndexPage;
import org.apache.spark.shuffle.rdma.memory.IndexPage.BadPageException;
import org.apache.spark.shuffle.rdma.memory.OutputLocation;
import org.apache.spark.shuffle.rdma.memory.PooledBuffer;

/**
 * What a reader knows of one index page: its generation, when that was last seen, and windows of
 * its offsets. A window holds {@value #WINDOW} partitions' offsets and the one behind them, 4 KiB,
 * so that a small page is one window and reducers of a wide shuffle don't read it whole.
 */
final class CachedPage {

  /** Partitions of a window. */
  static final int WINDOW = 511;

  private final OutputLocation location;
  private final long generation;
  private final long[][] windows;
  private final long bytes;
  private volatile long validatedAtNanos;

  CachedPage(OutputLocation location, long generation, long validatedAtNanos, long[][] windows) {
    this.location = location;
    this.generation = generation;
    this.validatedAtNanos = validatedAtNanos;
    this.windows = windows;
    long size = 128 + 8L * windows.length;
    for (long[] window : windows) {
      size += window == null ? 0 : 16 + 8L * window.length;
    }
    this.bytes = size;
  }

  OutputLocation location() {
    return location;
  }

  long generation() {
    return generation;
  }

  /** About what it occupies on the heap, in bytes. */
  long bytes() {
    return bytes;
  }

  long validatedAtNanos() {
    return validatedAtNanos;
  }

  void validated(long nowNanos) {
    validatedAtNanos = nowNanos;
  }

  boolean hasWindow(int window) {
    return windows[window] != null;
  }

  /** Where a partition's block begins; the partition's window, or for the last the one before. */
  long offset(int partition, int window) {
    return windows[window][partition - window * WINDOW];
  }

  static int windowCount(int partitions) {
    return (partitions + WINDOW - 1) / WINDOW;
  }

  /** Longs of a window. */
  static int windowLength(int partitions, int window) {
    return Math.min(WINDOW, partitions - window * WINDOW) + 1;
  }

  /** This page's state, with the other's windows beside its own if it's of the same generation. */
  CachedPage mergedWith(CachedPage other) {
    if (other.generation != generation || !other.location.equals(location)) {
      return this;
    }
    long[][] merged = windows.clone();
    for (int i = 0; i < merged.length; i++) {
      if (merged[i] == null) {
        merged[i] = other.windows[i];
      }
    }
    return new CachedPage(location, generation, validatedAtNanos, merged);
  }

  /**
   * Copies and checks a window that was read to this position of a buffer.
   *
   * @throws BadPageException if its offsets don't ascend from 0 to the data's length
   */
  static long[] parseWindow(PooledBuffer copy, long position, OutputLocation location, int window)
      throws BadPageException {
    long[] offsets = new long[windowLength(location.partitions(), window)];
    long before = 0;
    boolean good = true;
    for (int i = 0; i < offsets.length; i++) {
      offsets[i] = IndexPage.getLong(copy, position + 8L * i);
      good &= offsets[i] >= before && offsets[i] <= location.dataLength();
      before = offsets[i];
    }
    boolean last = window == windowCount(location.partitions()) - 1;
    good &= window > 0 || offsets[0] == 0;
    good &= !last || before == location.dataLength();
    if (!good) {
      throw new BadPageException(
          "the offsets of shuffle "
              + location.shuffleId()
              + ", map "
              + location.mapId()
              + ", window "
              + window
              + " don't ascend from 0 to "
              + location.dataLength());
    }
    return offsets;
  }
}
