package org.apache.spark.shuffle.rdma.location;

import java.util.Arrays;

/**
 * A set of map ids in 8 to 10 bytes each. They are kept in order, and since an executor's come
 * nearly in order, adding one rarely moves others. Not thread-safe.
 */
final class MapIds {

  private static final int FIRST_IDS = 2;

  private long[] ids = new long[FIRST_IDS];
  private int size;

  /** Adds it, unless it's there. */
  void add(long mapId) {
    int found = size > 0 && ids[size - 1] < mapId ? -size - 1 : find(mapId);
    if (found >= 0) {
      return;
    }
    if (size == ids.length) {
      ids = Arrays.copyOf(ids, size + FIRST_IDS + size / 4);
    }
    int at = -found - 1;
    System.arraycopy(ids, at, ids, at + 1, size - at);
    ids[at] = mapId;
    size++;
  }

  /** Takes it out; false if it isn't there. */
  boolean remove(long mapId) {
    int found = find(mapId);
    if (found < 0) {
      return false;
    }
    size--;
    System.arraycopy(ids, found + 1, ids, found, size - found);
    return true;
  }

  boolean isEmpty() {
    return size == 0;
  }

  private int find(long mapId) {
    return Arrays.binarySearch(ids, 0, size, mapId);
  }
}
