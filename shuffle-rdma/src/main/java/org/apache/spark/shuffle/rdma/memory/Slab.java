package org.apache.spark.shuffle.rdma.memory;

import java.lang.foreign.Arena;
import org.apache.spark.shuffle.rdma.fabric.Fabric;
import org.apache.spark.shuffle.rdma.fabric.FabricException;
import org.apache.spark.shuffle.rdma.fabric.Region;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Memory of no file that's registered once and cut into runs of units for many small users. Not
 * thread-safe: who has slabs has a lock for them.
 */
final class Slab {

  private static final Logger LOG = LoggerFactory.getLogger(Slab.class);

  private final Arena arena = Arena.ofShared();
  private final BuddyAllocator buddies;
  private final int units;
  private final Region region;

  /** Whether something was taken since {@link #clearUsed()}. */
  private boolean used;

  /**
   * Maps and registers it.
   *
   * @param bytes a power of two, of at least one unit
   * @param unitBytes bytes of a unit, a power of two
   * @throws FabricException if the system or the device refuses; then nothing is left mapped
   */
  Slab(Fabric fabric, Fabric.Access access, long bytes, int unitBytes) throws FabricException {
    units = Math.toIntExact(bytes / unitBytes);
    buddies = new BuddyAllocator(Integer.numberOfTrailingZeros(units));
    try {
      region = fabric.register(AnonymousMemory.map(bytes, arena), access);
    } catch (FabricException | RuntimeException e) {
      arena.close();
      throw e;
    }
  }

  Region region() {
    return region;
  }

  long bytes() {
    return region.length();
  }

  /** Takes a run of units, 1 or more: the first one's number, or -1 if there's no such run. */
  int take(int count) {
    int first = count > units ? -1 : buddies.take(count);
    used |= first >= 0;
    return first;
  }

  /** Gives back what {@link #take} gave, whole. */
  void giveBack(int first, int count) {
    buddies.free(first, count);
  }

  boolean isEmpty() {
    return buddies.isAllFree();
  }

  /** Whether something was taken since the last call. */
  boolean clearUsed() {
    boolean was = used;
    used = false;
    return was;
  }

  /** Deregisters and unmaps. If it throws, it may be called again. */
  void close() {
    region.close();
    arena.close();
  }

  /**
   * The same where there's nobody to call it again: one that can't be closed must not keep the
   * others, and its memory stays with the process.
   *
   * @return whether it's closed
   */
  boolean closeOrLog() {
    try {
      close();
      return true;
    } catch (RuntimeException e) {
      LOG.error("Couldn't give a slab of {} bytes back to the system", bytes(), e);
      return false;
    }
  }
}
