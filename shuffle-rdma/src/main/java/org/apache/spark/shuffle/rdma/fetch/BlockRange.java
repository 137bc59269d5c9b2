package org.apache.spark.shuffle.rdma.fetch;

import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * One block that Spark asks for: some successive partitions of one map output. It's settled once,
 * by delivery or by falling back.
 */
public final class BlockRange {

  private static final String PREFIX = "shuffle_";

  private final String blockId;
  private final int shuffleId;
  private final long mapId;
  private final int first;
  private final int end;
  private final AtomicBoolean settled = new AtomicBoolean();

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
    String[] parts = blockId.substring(PREFIX.length()).split("_", -1);
    if (parts.length != 3 && parts.length != 4) {
      return null;
    }
    try {
      int shuffleId = Integer.parseInt(parts[0]);
      long mapId = Long.parseLong(parts[1]);
      int first = Integer.parseInt(parts[2]);
      int end = parts.length == 4 ? Integer.parseInt(parts[3]) : first + 1;
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
    return settled.compareAndSet(false, true);
  }

  @Override
  public String toString() {
    return blockId;
  }
}
