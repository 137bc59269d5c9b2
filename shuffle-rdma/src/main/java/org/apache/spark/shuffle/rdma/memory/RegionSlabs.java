package org.apache.spark.shuffle.rdma.memory;

import java.lang.foreign.MemorySegment;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;
import org.apache.spark.shuffle.rdma.fabric.Fabric;
import org.apache.spark.shuffle.rdma.fabric.FabricException;
import org.jspecify.annotations.Nullable;

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
      int first = slab.take(units);
      if (first >= 0) {
        return new Piece(slab, first, units);
      }
      if (units <= SMALL_UNITS) {
        // As good as full: it's looked at again when something comes back.
        candidates.remove();
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
      slab = new Slab(fabric, Fabric.Access.REMOTE_READ, slabBytes, UNIT_BYTES);
    } catch (FabricException | RuntimeException e) {
      budget.giveSlabBack(slabBytes);
      throw e;
    }
    slabs.add(slab);
    roomy.add(slab);
    return new Piece(slab, slab.take(units), units);
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
        slab.giveBack(piece.firstUnit, piece.units);
        if (keepsEmpty || !slab.isEmpty() || slabs.size() == 1) {
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
    slab.close();
    budget.giveSlabBack(slab.bytes());
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
      if (slab.closeOrLog()) {
        budget.giveSlabBack(slab.bytes());
      }
    }
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
      return slab.region().memory().asSlice((long) firstUnit * UNIT_BYTES, bytes());
    }

    /** Of whole units. */
    long bytes() {
      return (long) units * UNIT_BYTES;
    }

    /** By which peers read it. */
    long address() {
      return slab.region().address() + (long) firstUnit * UNIT_BYTES;
    }

    long key() {
      return slab.region().key();
    }
  }
}
