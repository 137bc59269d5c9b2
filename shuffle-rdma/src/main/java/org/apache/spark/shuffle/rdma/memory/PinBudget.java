package org.apache.spark.shuffle.rdma.memory;

import org.apache.spark.shuffle.rdma.metrics.Counter;
import org.apache.spark.shuffle.rdma.metrics.Counters;

/**
 * What registered map outputs and their index pages may take of memory, in bytes: who registers
 * takes first, and gives back after it deregistered. Slabs, whose memory no file stands behind,
 * have a limit of their own within it. Any thread may call.
 */
public final class PinBudget {

  /** No limit: for mapped files where nothing is pinned. */
  public static final long UNLIMITED = Long.MAX_VALUE >> 1;

  private final long limit;
  private final long slabLimit;
  private final Counters counters;
  private long taken;
  private long slabs;

  /**
   * A budget of which nothing is taken.
   *
   * @param limit in bytes, 0 to {@link #UNLIMITED}
   * @param slabLimit what slabs may take of it, in bytes, 0 or more
   */
  public PinBudget(long limit, long slabLimit, Counters counters) {
    if (limit < 0 || limit > UNLIMITED || slabLimit < 0) {
      throw new IllegalArgumentException("a budget of " + limit + ", for slabs " + slabLimit);
    }
    this.limit = limit;
    this.slabLimit = Math.min(slabLimit, limit);
    this.counters = counters;
  }

  long limit() {
    return limit;
  }

  /**
   * Takes this many bytes for a mapped file, in whole pages.
   *
   * @return false if there aren't as many left; nothing is taken then
   */
  boolean take(long bytes) {
    return take(bytes, 0);
  }

  /** The same for a slab. */
  boolean takeSlab(long bytes) {
    return take(bytes, AnonymousMemory.wholePages(bytes));
  }

  private boolean take(long bytes, long ofSlabs) {
    long pages = AnonymousMemory.wholePages(bytes);
    synchronized (this) {
      if (pages > limit - taken || ofSlabs > slabLimit - slabs) {
        return false;
      }
      taken += pages;
      slabs += ofSlabs;
    }
    counters.add(Counter.BUDGET_BYTES, pages);
    return true;
  }

  /** Gives back what {@link #take} took with the same number. */
  void giveBack(long bytes) {
    giveBack(bytes, 0);
  }

  /** Gives back what {@link #takeSlab} took with the same number. */
  void giveSlabBack(long bytes) {
    giveBack(bytes, AnonymousMemory.wholePages(bytes));
  }

  private void giveBack(long bytes, long ofSlabs) {
    long pages = AnonymousMemory.wholePages(bytes);
    synchronized (this) {
      if (pages > taken || ofSlabs > slabs) {
        throw new IllegalStateException(pages + " bytes given back, but only " + taken + " taken");
      }
      taken -= pages;
      slabs -= ofSlabs;
    }
    counters.add(Counter.BUDGET_BYTES, -pages);
  }
}
