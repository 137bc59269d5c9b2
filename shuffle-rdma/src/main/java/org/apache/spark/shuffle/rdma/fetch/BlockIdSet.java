package org.apache.spark.shuffle.rdma.fetch;

import org.jspecify.annotations.Nullable;

/**
 * Block ids that were seen. A HashSet would be an object for each, which nothing needs: a task asks
 * for thousands of blocks, and for none twice unless it was corrupt. One thread.
 */
public final class BlockIdSet {

  private static final int FIRST_SLOTS = 32;

  /** Open addressing: an id stands in the first free slot from its hash on; half are free. */
  private @Nullable String[] slots = new String[FIRST_SLOTS];

  private int size;

  /** False if it was in before. */
  public boolean add(String blockId) {
    if (2 * size >= slots.length) {
      grow();
    }
    boolean added = put(slots, blockId);
    size += added ? 1 : 0;
    return added;
  }

  private void grow() {
    @Nullable String[] larger = new String[2 * slots.length];
    for (String blockId : slots) {
      if (blockId != null) {
        var _ = put(larger, blockId);
      }
    }
    slots = larger;
  }

  private static boolean put(@Nullable String[] slots, String blockId) {
    int hash = blockId.hashCode();
    // Ids that differ in their last digits alone have hashes one after another.
    int slot = (hash ^ (hash >>> 16)) & (slots.length - 1);
    for (String one = slots[slot]; one != null; one = slots[slot]) {
      if (one.equals(blockId)) {
        return false;
      }
      slot = (slot + 1) & (slots.length - 1);
    }
    slots[slot] = blockId;
    return true;
  }
}
