package org.apache.spark.shuffle.rdma.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class BuddyAllocatorTest {

  @Test
  void givesWhatAPowerOfTwoLeavesOver() {
    BuddyAllocator buddies = new BuddyAllocator(3);
    assertEquals(0, buddies.take(5));
    assertEquals(6, buddies.take(2));
    assertEquals(5, buddies.take(1));
    assertEquals(-1, buddies.take(1));
  }

  @Test
  void mergesAllBackIntoTheWhole() {
    BuddyAllocator buddies = new BuddyAllocator(10);
    for (int pages : new int[] {1, 3, 257, 511}) {
      int first = buddies.take(pages);
      int second = buddies.take(pages);
      buddies.free(first, pages);
      buddies.free(second, pages);
      assertEquals(0, buddies.take(1024), "after " + pages);
      buddies.free(0, 1024);
    }
  }

  @Test
  void freeingTwiceIsAnError() {
    BuddyAllocator buddies = new BuddyAllocator(4);
    int page = buddies.take(2);
    buddies.free(page, 2);
    assertThrows(IllegalStateException.class, () -> buddies.free(page, 16));
  }

  @Test
  void neverGivesAPageTwice() {
    long seed = Long.getLong("seed", System.nanoTime());
    Random random = new Random(seed);
    BuddyAllocator buddies = new BuddyAllocator(8);
    BitSet taken = new BitSet();
    List<int[]> runs = new ArrayList<>();
    for (int step = 0; step < 20_000; step++) {
      if (random.nextInt(5) < 3) {
        int pages = 1 + random.nextInt(60);
        int first = buddies.take(pages);
        if (first >= 0) {
          int next = taken.nextSetBit(first);
          assertTrue(next < 0 || next >= first + pages, "seed " + seed + ", step " + step);
          assertTrue(first + pages <= 256, "seed " + seed);
          taken.set(first, first + pages);
          runs.add(new int[] {first, pages});
        }
      } else if (!runs.isEmpty()) {
        int[] run = runs.remove(random.nextInt(runs.size()));
        taken.clear(run[0], run[0] + run[1]);
        buddies.free(run[0], run[1]);
      }
    }
    runs.forEach(run -> buddies.free(run[0], run[1]));
    assertEquals(0, buddies.take(256), "all merged; seed " + seed);
  }
}
