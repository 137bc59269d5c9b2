package org.apache.spark.shuffle.rdma.memory;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;
import org.apache.spark.shuffle.rdma.fabric.Fabric;
import org.apache.spark.shuffle.rdma.fabric.FabricException;
import org.apache.spark.shuffle.rdma.fabric.Region;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Small pieces of memory that peers may read, packed into registered slabs: a region and a mapping
 * for each piece would cost more than the piece. Any thread may call; {@link #close()} comes last.
 */
final class RegionSlabs implements AutoCloseable {

  /** Bytes of a slab; a piece that's larger gets a larger one. */
  static final long SLAB_BYTES = 1 << 20;

  /** A piece is of whole units: a cache line each. */
  private static final int UNIT_BYTES = 64;

  /** A slab that has no room for so little, 1 KiB, isn't looked at for now. */
  private static final int SMALL_UNITS = 16;

  /** The most that one slab may have: as many units as the allocator can count. */
  static final long MAX_BYTES = (long) UNIT_BYTES << 30;

  private static final Logger LOG = LoggerFactory.getLogger(RegionSlabs.class);

  private final Fabric fabric;
  private final PinBudget budget;
  private final boolean keepsEmpty;
  private final Set<Slab> slabs = new HashSet<>();

  /** Slabs that may have room: the last one made, and those that something was given back to. */
  private final Set<Slab> roomy = new LinkedHashSet<>();

  private boolean closed;

  /**
   * No slab yet.
   *
   * @param keepsEmpty whether slabs stay registered until {@link #close()}, so that late readers
   *     meet no dead address; else one that's empty goes
   */
  RegionSlabs(Fabric fabric, PinBudget budget, boolean keepsEmpty) {
    this.fabric = fabric;
    this.budget = budget;
    this.keepsEmpty = keepsEmpty;
  }

  /** What a piece of this many bytes takes of the budget if no slab has room for it. */
  static long slabBytes(long bytes) {
    long least = Math.max(bytes, SLAB_BYTES);
    return least == Long.highestOneBit(least) ? least : Long.highestOneBit(least) << 1;
  }

  /**
   * Takes a piece; its content is whatever stood there.
   *
   * @param bytes from 1 to {@link #MAX_BYTES}
   * @return null if the budget has no room
   * @throws FabricException if the system or the device refuses another slab, or after close
   */
  synchronized @Nullable Piece take(long bytes) throws FabricException {
    int units = Math.toIntExact((bytes + UNIT_BYTES - 1) / UNIT_BYTES);
    for (Iterator<Slab> candidates = roomy.iterator(); candidates.hasNext(); ) {
      Slab slab = candidates.next();
      if (units <= slab.units()) {
        int first = slab.buddies.take(units);
        if (first >= 0) {
          return slab.piece(first, units);
        }
        if (units <= SMALL_UNITS) {
          // As good as full: it's looked at again when something comes back.
          candidates.remove();
        }
      }
    }
    if (closed) {
      throw new FabricException(FabricException.Kind.CLOSED, "the executor is stopping");
    }
    long slabBytes = slabBytes(bytes);
    if (!budget.takeSlab(slabBytes)) {
      return null;
    }
    Slab slab;
    try {
      slab = new Slab(fabric, slabBytes);
    } catch (FabricException | RuntimeException e) {
      budget.giveSlabBack(slabBytes);
      throw e;
    }
    slabs.add(slab);
    roomy.add(slab);
    return slab.piece(slab.buddies.take(units), units);
  }

  /**
   * Gives a piece back; nothing may read it any more. If this throws, since the slab's region can't
   * be closed yet, it may be called again.
   */
  void giveBack(Piece piece) {
    Slab slab = piece.slab;
    synchronized (this) {
      if (!piece.freed) {
        piece.freed = true;
        slab.buddies.free(piece.firstUnit, piece.units);
        if (keepsEmpty || !slab.buddies.isAllFree() || slabs.size() == 1) {
          roomy.add(slab);
        } else {
          slabs.remove(slab);
          roomy.remove(slab);
        }
      }
      if (closed || slabs.contains(slab)) {
        return;
      }
    }
    close(slab);
  }

  @Override
  public void close() {
    Set<Slab> all;
    synchronized (this) {
      closed = true;
      all = Set.copyOf(slabs);
      slabs.clear();
      roomy.clear();
    }
    for (Slab slab : all) {
      try {
        close(slab);
      } catch (RuntimeException e) {
        // It must not keep the others; its memory stays with the process, which is ending.
        LOG.error("Couldn't close a slab of {} bytes", slab.memory.byteSize(), e);
      }
    }
  }

  private void close(Slab slab) {
    slab.close();
    budget.giveSlabBack(slab.memory.byteSize());
  }

  /** A part of a slab. */
  static final class Piece {
    private final Slab slab;
    private final int firstUnit;
    private final int units;

    /** Guarded by the slabs' lock. */
    private boolean freed;

    private Piece(Slab slab, int firstUnit, int units) {
      this.slab = slab;
      this.firstUnit = firstUnit;
      this.units = units;
    }

    MemorySegment memory() {
      return slab.memory.asSlice((long) firstUnit * UNIT_BYTES, bytes());
    }

    /** Of whole units. */
    long bytes() {
      return (long) units * UNIT_BYTES;
    }

    /** By which peers read it. */
    long address() {
      return slab.region.address() + (long) firstUnit * UNIT_BYTES;
    }

    long key() {
      return slab.region.key();
    }
  }

  private static final class Slab {
    final Arena arena = Arena.ofShared();
    final MemorySegment memory;
    final Region region;
    final BuddyAllocator buddies;

    Slab(Fabric fabric, long bytes) throws FabricException {
      try {
        memory = AnonymousMemory.map(bytes, arena);
        region = fabric.register(memory, Fabric.Access.REMOTE_READ);
      } catch (FabricException | RuntimeException e) {
        arena.close();
        throw e;
      }
      buddies = new BuddyAllocator(Long.numberOfTrailingZeros(bytes / UNIT_BYTES));
    }

    int units() {
      return (int) (memory.byteSize() / UNIT_BYTES);
    }

    Piece piece(int firstUnit, int units) {
      return new Piece(this, firstUnit, units);
    }

    void close() {
      region.close();
      arena.close();
    }
  }
}
