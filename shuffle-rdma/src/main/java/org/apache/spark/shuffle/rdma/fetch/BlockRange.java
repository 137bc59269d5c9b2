package org.apache.spark.shuffle.rdma.fetch;

import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import org.jspecify.annotations.Nullable;

/**
 * One block that Spark asks for: some successive partitions of one map output. It's settled once,
 * by delivery or by falling back.
 */
public final class BlockRange {

  private static final String PREFIX = "shuffle_";

  private static final AtomicIntegerFieldUpdater<BlockRange> SETTLED =
      AtomicIntegerFieldUpdater.newUpdater(BlockRange.class, "settled");

  private final String blockId;
  private final int shuffleId;
  private final long mapId;
  private final int first;
  private final int end;

  /** 1 once settled. Through {@link #SETTLED} alone: an object for it would be garbage. */
  @SuppressWarnings("UnusedVariable")
  private volatile int settled;

  private BlockRange(String blockId, int shuffleId, long mapId, int first, int end) {
    this.blockId = blockId;
    this.shuffleId = shuffleId;
    this.mapId = mapId;
    this.first = first;
    this.end = end;
  }

  /**
   * Reads {@code shuffle_SHUFFLE_MAP_REDUCE} and {@code shuffle_SHUFFLE_MAP_FIRST_END} (end
   * exclusive).
   *
   * @return null for any other block id
   */
  public static @Nullable BlockRange parse(String blockId) {
    if (!blockId.startsWith(PREFIX)) {
      return null;
    }
    // In place: this runs for every block, and parts cut out would be garbage.
    int shuffleEnd = blockId.indexOf('_', PREFIX.length());
    int mapEnd = blockId.indexOf('_', shuffleEnd + 1);
    if (shuffleEnd < 0 || mapEnd < 0) {
      return null;
    }
    int separator = blockId.indexOf('_', mapEnd + 1);
    int firstEnd = separator < 0 ? blockId.length() : separator;
    try {
      int shuffleId = Integer.parseInt(blockId, PREFIX.length(), shuffleEnd, 10);
      long mapId = Long.parseLong(blockId, shuffleEnd + 1, mapEnd, 10);
      int first = Integer.parseInt(blockId, mapEnd + 1, firstEnd, 10);
      int end =
          separator < 0
              ? first + 1
              : Integer.parseInt(blockId, separator + 1, blockId.length(), 10);
      boolean sane = shuffleId >= 0 && mapId >= 0 && first >= 0 && end > first;
      return sane ? new BlockRange(blockId, shuffleId, mapId, first, end) : null;
    } catch (NumberFormatException e) {
      return null;
    }
  }

  /** As Spark wrote it. */
  public String blockId() {
    return blockId;
  }

  public int shuffleId() {
    return shuffleId;
  }

  public long mapId() {
    return mapId;
  }

  /** The first partition. */
  public int first() {
    return first;
  }

  /** The partition after the last one. */
  public int end() {
    return end;
  }

  /** True for the first caller alone: the one that may deliver it or let it fall back. */
  boolean settle() {
    return SETTLED.compareAndSet(this, 0, 1);
  }

  @Override
  public String toString() {
    return blockId;
  }
}
