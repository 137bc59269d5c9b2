package org.apache.spark.shuffle.rdma.metrics;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLongArray;
import org.jspecify.annotations.Nullable;

/**
 * What an executor got of each shuffle since it last told the driver. Any thread may add; that
 * takes no lock and, for a shuffle that was there already, makes no garbage.
 */
public final class ReadsByShuffle {

  /** Most shuffles in one report; the others wait for the next. */
  public static final int MAX_REPORTED = 256;

  /** Most shuffles counted at once. What comes of more is in {@link Counters} alone. */
  static final int MAX_SHUFFLES = 4096;

  private static final int READ_BLOCKS = 0;
  private static final int READ_BYTES = 1;
  private static final int TCP_BLOCKS = 2;
  private static final int TCP_BYTES = 3;

  private static final class Sums {
    final int shuffleId;
    final AtomicLongArray values = new AtomicLongArray(4);

    Sums(int shuffleId) {
      this.shuffleId = shuffleId;
    }

    ShuffleReads take() {
      return new ShuffleReads(
          shuffleId,
          values.getAndSet(READ_BLOCKS, 0),
          values.getAndSet(READ_BYTES, 0),
          values.getAndSet(TCP_BLOCKS, 0),
          values.getAndSet(TCP_BYTES, 0));
    }
  }

  private final Map<Integer, Sums> shuffles = new ConcurrentHashMap<>();

  /** Spares most calls the lookup: one shuffle is read at a time. */
  private volatile @Nullable Sums latest;

  /** Counts a block that came by READ. */
  public void addRead(int shuffleId, long bytes) {
    add(shuffleId, READ_BLOCKS, 1, READ_BYTES, bytes);
  }

  /** Counts a block that came by Spark's TCP path. */
  public void addTcp(int shuffleId, long bytes) {
    add(shuffleId, TCP_BLOCKS, 1, TCP_BYTES, bytes);
  }

  private void add(int shuffleId, int blocksAt, long blocks, int bytesAt, long bytes) {
    Sums sums = latest;
    if (sums == null || sums.shuffleId != shuffleId) {
      sums = shuffles.get(shuffleId);
      if (sums == null) {
        if (shuffles.size() >= MAX_SHUFFLES) {
          return;
        }
        sums = shuffles.computeIfAbsent(shuffleId, Sums::new);
      }
      latest = sums;
    }
    sums.values.getAndAdd(blocksAt, blocks);
    sums.values.getAndAdd(bytesAt, bytes);
  }

  /** Takes out what was added since the last call, of at most {@link #MAX_REPORTED} shuffles. */
  public List<ShuffleReads> drain() {
    List<ShuffleReads> changed = new ArrayList<>();
    for (Iterator<Sums> all = shuffles.values().iterator();
        all.hasNext() && changed.size() < MAX_REPORTED; ) {
      ShuffleReads reads = all.next().take();
      if (!reads.isEmpty()) {
        changed.add(reads);
      }
    }
    return changed;
  }

  /** Adds again what {@link #drain} took but couldn't be sent. */
  public void giveBack(List<ShuffleReads> unsent) {
    for (ShuffleReads reads : unsent) {
      add(reads.shuffleId(), READ_BLOCKS, reads.readBlocks(), READ_BYTES, reads.readBytes());
      add(reads.shuffleId(), TCP_BLOCKS, reads.tcpBlocks(), TCP_BYTES, reads.tcpBytes());
    }
  }

  /** Forgets a shuffle that has ended. */
  public void forget(int shuffleId) {
    shuffles.remove(shuffleId);
    latest = null;
  }
}
