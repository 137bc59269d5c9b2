package org.apache.spark.shuffle.rdma.memory;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.shuffle.rdma.fabric.Fabric;
import org.apache.spark.shuffle.rdma.fabric.FabricException;
import org.apache.spark.shuffle.rdma.metrics.Counter;
import org.apache.spark.shuffle.rdma.metrics.Counters;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The executor's destination buffers: slabs that are registered once, cut by a buddy allocator with
 * power-of-two size classes from 4 KiB to a slab; what a buffer doesn't need of its class is free
 * at once for others. Slabs that aren't used for a while go back to the system.
 *
 * <p>A caller that gets nothing goes another way and never waits here, since a task that waits
 * while it holds buffers could wait for itself. Any thread may call; {@link #close()} comes last.
 */
public final class BufferPool implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(BufferPool.class);

  /** Bytes of the smallest size class, and every slab's alignment. */
  static final int PAGE_BYTES = AnonymousMemory.PAGE_BYTES;

  /** Bytes of a slab, unless less is left to the pool: also the top size class. */
  static final long SLAB_BYTES = 32L << 20;

  private final Fabric fabric;
  private final Counters counters;
  private final long maxBytes;
  private final long slabBytes;
  private final List<Slab> slabs = new ArrayList<>();
  private long bytes;
  private long taken;
  private long pagesInUse;
  private boolean closed;

  /** Said once. */
  private boolean refused;

  /**
   * Makes a pool that has no slab yet.
   *
   * @param maxBytes most bytes of all slabs, {@value #PAGE_BYTES} or more; rounded down to whole
   *     pages
   */
  public BufferPool(Fabric fabric, Counters counters, long maxBytes) {
    if (maxBytes < PAGE_BYTES) {
      throw new IllegalArgumentException("a buffer pool of " + maxBytes + " bytes");
    }
    this.fabric = fabric;
    this.counters = counters;
    this.maxBytes = maxBytes;
    this.slabBytes = Math.min(SLAB_BYTES, Long.highestOneBit(maxBytes));
  }

  /** Bytes of the largest buffer that {@link #take} can give. */
  public long topClassBytes() {
    return slabBytes;
  }

  /**
   * Takes a buffer of at least this many bytes, with one reference, content undefined.
   *
   * @param bytes from 1 to {@link #topClassBytes()}
   * @return null if the pool has no room, or is closed
   */
  public @Nullable PooledBuffer take(long bytes) {
    if (bytes < 1 || bytes > slabBytes) {
      throw new IllegalArgumentException(
          "a buffer of " + bytes + " bytes from a pool whose largest has " + slabBytes);
    }
    PooledBuffer buffer = takePages((int) ((bytes + PAGE_BYTES - 1) / PAGE_BYTES));
    if (buffer == null) {
      counters.increment(Counter.POOL_DRY);
    }
    return buffer;
  }

  /**
   * Gives slabs back to the system in which nothing was taken since the last call, save one that
   * the next blocks find warm.
   */
  public synchronized void trim() {
    for (Slab slab : List.copyOf(slabs.subList(Math.min(1, slabs.size()), slabs.size()))) {
      if (!slab.clearUsed() && slab.isEmpty()) {
        slabs.remove(slab);
        bytes -= slab.bytes();
        counters.add(Counter.POOL_SLAB_BYTES, -slab.bytes());
        slab.closeOrLog();
      }
    }
  }

  /** Unmaps all; buffers that are still out there throw IllegalStateException when read. */
  @Override
  public synchronized void close() {
    closed = true;
    slabs.forEach(Slab::closeOrLog);
    counters.add(Counter.POOL_SLAB_BYTES, -bytes);
    slabs.clear();
    bytes = 0;
  }

  synchronized void giveBack(Slab slab, int firstPage, int pages) {
    slab.giveBack(firstPage, pages);
    pagesInUse -= pages;
    counters.set(Counter.POOL_BYTES_IN_USE, pagesInUse * PAGE_BYTES);
  }

  /** The caller has the lock. */
  private PooledBuffer taken(Slab slab, int firstPage, int pages) {
    taken++;
    counters.set(Counter.POOL_TAKEN, taken);
    pagesInUse += pages;
    counters.set(Counter.POOL_BYTES_IN_USE, pagesInUse * PAGE_BYTES);
    return new PooledBuffer(this, slab, firstPage, pages);
  }

  private synchronized @Nullable PooledBuffer takePages(int pages) {
    for (Slab slab : slabs) {
      int page = slab.take(pages);
      if (page >= 0) {
        return taken(slab, page, pages);
      }
    }
    // The last slabs are smaller ones, so that the pool is as large as it may be.
    long nextBytes = Math.min(slabBytes, Long.highestOneBit(maxBytes - bytes));
    if (closed || nextBytes < (long) pages * PAGE_BYTES) {
      return null;
    }
    try {
      Slab slab = new Slab(fabric, Fabric.Access.LOCAL_WRITE, nextBytes, PAGE_BYTES);
      slabs.add(slab);
      bytes += nextBytes;
      counters.add(Counter.POOL_SLAB_BYTES, nextBytes);
      return taken(slab, slab.take(pages), pages);
    } catch (FabricException e) {
      // The device or the system lets no more be registered: the pool is as large as it gets.
      if (!refused) {
        refused = true;
        LOG.warn(
            "The buffer pool stays at {} of {} bytes, and blocks that find it dry go by TCP: {}",
            bytes,
            maxBytes,
            e.getMessage());
      }
      return null;
    }
  }
}
