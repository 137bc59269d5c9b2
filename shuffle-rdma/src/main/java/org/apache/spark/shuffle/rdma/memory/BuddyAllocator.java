package org.apache.spark.shuffle.rdma.memory;

/**
 * Cuts a run of 2^topOrder pages into runs of powers of two and merges them again (Knuth, The Art
 * of Computer Programming 1, 2.5, algorithms R and S). It keeps no memory, only page numbers. Not
 * thread-safe.
 */
final class BuddyAllocator {

  private final int topOrder;

  /**
   * A bit for each run that's free. Runs are numbered as the nodes of a binary tree: the whole is
   * 1, and the halves of n are 2n and 2n + 1. So the bits of all larger runs share few words.
   */
  private final long[] free;

  /** How many runs of each order are free. */
  private final int[] runs;

  /**
   * All free.
   *
   * @param topOrder from 0 to 30
   */
  BuddyAllocator(int topOrder) {
    this.topOrder = topOrder;
    this.free = new long[((2 << topOrder) >>> 6) + 1];
    this.runs = new int[topOrder + 1];
    set(1, topOrder);
  }

  /**
   * Takes a run of pages: from a power of two of them, what's too many is freed again at once.
   *
   * @param pages from 1 to 2^topOrder
   * @return the first page's number, or -1 if there's no such run
   */
  int take(int pages) {
    int order = 32 - Integer.numberOfLeadingZeros(pages - 1);
    int from = order;
    while (from <= topOrder && runs[from] == 0) {
      from++;
    }
    if (from > topOrder) {
      return -1;
    }
    int run = firstFree(from);
    clear(run, from);
    while (from > order) {
      from--;
      run <<= 1;
      // Not by free(): its buddy is taken, so there's nothing to merge with.
      set(run + 1, from);
    }
    int first = (run << order) - (1 << topOrder);
    free(first + pages, (1 << order) - pages);
    return first;
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
    return runs[topOrder] == 1;
  }

  private void freeAligned(int firstPage, int order) {
    int run = ((1 << topOrder) + firstPage) >>> order;
    int at = order;
    while (at < topOrder && isFree(run ^ 1)) {
      clear(run ^ 1, at);
      run >>>= 1;
      at++;
    }
    if (isFree(run)) {
      throw new IllegalStateException("freed twice: page " + firstPage + " of order " + order);
    }
    set(run, at);
  }

  /** The first free run of an order that has one. */
  private int firstFree(int order) {
    int first = 1 << (topOrder - order);
    int word = first >>> 6;
    // Runs of higher orders may share the first word.
    long bits = free[word] & (-1L << first);
    while (bits == 0) {
      word++;
      bits = free[word];
    }
    return (word << 6) + Long.numberOfTrailingZeros(bits);
  }

  private boolean isFree(int run) {
    return (free[run >>> 6] >>> run & 1) != 0;
  }

  private void set(int run, int order) {
    free[run >>> 6] |= 1L << run;
    runs[order]++;
  }

  private void clear(int run, int order) {
    free[run >>> 6] &= ~(1L << run);
    runs[order]--;
  }
}
