package org.apache.spark.shuffle.rdma.memory;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.shuffle.rdma.fabric.Fabric;
import org.apache.spark.shuffle.rdma.fabric.FabricException;
import org.apache.spark.shuffle.rdma.fabric.Region;
import org.jspecify.annotations.Nullable;

/**
 * Index pages, packed into slabs that stay registered until the executor stops: so a late reader
 * finds a page's generation changed, and never a dead address.
 *
 * <p>A slab hands pages out from its start to its end, and starts anew when the last of its pages
 * has been freed. Any thread may call; {@link #close()} comes last.
 */
final class PageSlabs implements AutoCloseable {

  /** Bytes of a slab; a page that's larger gets a larger slab. */
  static final long SLAB_BYTES = 1 << 20;

  private final Fabric fabric;
  private final List<Slab> slabs = new ArrayList<>();
  private final Deque<Slab> empty = new ArrayDeque<>();
  private @Nullable Slab current;
  private boolean closed;

  PageSlabs(Fabric fabric) {
    this.fabric = fabric;
  }

  /** Takes room for a page; its content is whatever stood there. */
  synchronized Page allocate(long bytes) throws FabricException {
    long rounded = (bytes + Long.BYTES - 1) & -Long.BYTES;
    Slab slab = current;
    if (slab == null || slab.room() < rounded) {
      Slab next = emptySlab(rounded);
      if (slab != null && slab.live == 0) {
        empty.add(slab);
      }
      slab = next;
      current = next;
    }
    return slab.take(rounded);
  }

  /** One that was used before, or else a new one. */
  private Slab emptySlab(long bytes) throws FabricException {
    for (Iterator<Slab> recycled = empty.iterator(); recycled.hasNext(); ) {
      Slab slab = recycled.next();
      if (slab.room() >= bytes) {
        recycled.remove();
        return slab;
      }
    }
    return newSlab(Math.max(bytes, SLAB_BYTES));
  }

  /** Gives a page back; nothing may read it any more. */
  synchronized void free(Page page) {
    Slab slab = page.slab();
    slab.live--;
    if (slab.live > 0) {
      return;
    }
    slab.used = 0;
    if (slab != current) {
      empty.add(slab);
    }
  }

  @Override
  public synchronized void close() {
    closed = true;
    slabs.forEach(Slab::close);
    slabs.clear();
    empty.clear();
    current = null;
  }

  private Slab newSlab(long bytes) throws FabricException {
    if (closed) {
      throw new FabricException(FabricException.Kind.CLOSED, "the executor is stopping");
    }
    Slab slab = new Slab(fabric, bytes);
    slabs.add(slab);
    return slab;
  }

  /** A page's place. */
  record Page(Slab slab, MemorySegment memory) {
    long address() {
      return memory.address();
    }

    long key() {
      return slab.region.key();
    }
  }

  private static final class Slab {
    final Arena arena = Arena.ofShared();
    final MemorySegment memory;
    final Region region;
    long used;
    int live;

    Slab(Fabric fabric, long bytes) throws FabricException {
      memory = arena.allocate(bytes, BufferPool.PAGE_BYTES);
      try {
        region = fabric.register(memory, Fabric.Access.REMOTE_READ);
      } catch (FabricException | RuntimeException e) {
        arena.close();
        throw e;
      }
    }

    long room() {
      return memory.byteSize() - used;
    }

    Page take(long bytes) {
      Page page = new Page(this, memory.asSlice(used, bytes));
      used += bytes;
      live++;
      return page;
    }

    void close() {
      region.close();
      arena.close();
    }
  }
}
