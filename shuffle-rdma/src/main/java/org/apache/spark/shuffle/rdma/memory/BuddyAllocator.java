package org.apache.spark.shuffle.rdma.memory;

import java.util.BitSet;

/**
 * Cuts a run of 2^topOrder pages into runs of powers of two and merges them again (Knuth, The Art
 * of Computer Programming 1, 2.5, algorithms R and S). It keeps no memory, only page numbers. Not
 * thread-safe.
 */
final class BuddyAllocator {

  private final int topOrder;

  /** Bit i of free[order] says that the run of 2^order pages from page i x 2^order on is free. */
  private final BitSet[] free;

  /**
   * All free.
   *
   * @param topOrder from 0 to 30
   */
  BuddyAllocator(int topOrder) {
    this.topOrder = topOrder;
    this.free = new BitSet[topOrder + 1];
    for (int order = 0; order <= topOrder; order++) {
      free[order] = new BitSet();
    }
    free[topOrder].set(0);
  }

  /**
   * Takes a run of pages: from a power of two of them, what's too many is freed again at once.
   *
   * @param pages from 1 to 2^topOrder
   * @return the first page's number, or -1 if there's no such run
   */
  int take(int pages) {
    int order = 32 - Integer.numberOfLeadingZeros(pages - 1);
    for (int from = order; from <= topOrder; from++) {
      int index = free[from].nextSetBit(0);
      if (index >= 0) {
        free[from].clear(index);
        int first = index << from;
        for (int half = from - 1; half >= order; half--) {
          // Not by free(): its buddy is taken, so there's nothing to merge with.
          free[half].set((first >> half) + 1);
        }
        free(first + pages, (1 << order) - pages);
        return first;
      }
    }
    return -1;
  }

  /** Frees a run: the part that {@link #take} gave, whole. */
  void free(int firstPage, int pages) {
    int page = firstPage;
    int left = pages;
    while (left > 0) {
      // The largest aligned power of two that begins here and doesn't reach too far.
      int aligned = page == 0 ? topOrder : Integer.numberOfTrailingZeros(page);
      int order = Math.min(aligned, 31 - Integer.numberOfLeadingZeros(left));
      freeAligned(page, order);
      page += 1 << order;
      left -= 1 << order;
    }
  }

  /** Whether nothing is taken. */
  boolean isAllFree() {
    return free[topOrder].get(0);
  }

  private void freeAligned(int firstPage, int order) {
    int index = firstPage >> order;
    int at = order;
    while (at < topOrder && free[at].get(index ^ 1)) {
      free[at].clear(index ^ 1);
      index >>= 1;
      at++;
    }
    if (free[at].get(index)) {
      throw new IllegalStateException("freed twice: page " + firstPage + " of order " + order);
    }
    free[at].set(index);
  }
}
