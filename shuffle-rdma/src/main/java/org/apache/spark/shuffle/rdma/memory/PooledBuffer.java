package org.apache.spark.shuffle.rdma.memory;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import org.apache.spark.shuffle.rdma.fabric.Connection;

/**
 * A buffer of the pool, counted by references: the last {@link #release()} gives it back. Many
 * blocks may share one, each with a reference of its own. Any thread may call.
 */
public final class PooledBuffer {

  private static final AtomicIntegerFieldUpdater<PooledBuffer> REFERENCES =
      AtomicIntegerFieldUpdater.newUpdater(PooledBuffer.class, "references");

  private static final ValueLayout.OfLong LONG_UNALIGNED = IndexPage.LONG.withByteAlignment(1);

  private final BufferPool pool;
  private final Slab slab;
  private final int firstPage;
  private final int pages;

  /** Through {@link #REFERENCES} alone: an object for it would be garbage of each buffer. */
  @SuppressWarnings("UnusedVariable")
  private volatile int references = 1;

  PooledBuffer(BufferPool pool, Slab slab, int firstPage, int pages) {
    this.pool = pool;
    this.slab = slab;
    this.firstPage = firstPage;
    this.pages = pages;
  }

  /** In bytes: whole pages. */
  public long capacity() {
    return (long) BufferPool.PAGE_BYTES * pages;
  }

  /** A part of the buffer, valid for as long as the caller holds a reference. */
  MemorySegment slice(long offset, long bytes) {
    checkRange(offset, bytes);
    return slab.region().memory().asSlice(start() + offset, bytes);
  }

  /** A little-endian long, at any position; the caller holds a reference. */
  long getLong(long offset) {
    checkRange(offset, Long.BYTES);
    return slab.region().memory().get(LONG_UNALIGNED, start() + offset);
  }

  /** A read into this part of the buffer. */
  public Connection.Read read(long remoteAddress, long remoteKey, long offset, long bytes) {
    checkRange(offset, bytes);
    return new Connection.Read(remoteAddress, remoteKey, slab.region(), start() + offset, bytes);
  }

  /** Takes a reference; the caller must hold one already. */
  public void retain() {
    if (REFERENCES.getAndIncrement(this) <= 0) {
      throw new IllegalStateException("retained after its last release");
    }
  }

  /** Gives a reference back. */
  public void release() {
    int left = REFERENCES.decrementAndGet(this);
    if (left < 0) {
      throw new IllegalStateException("released once too often");
    }
    if (left == 0) {
      pool.giveBack(slab, firstPage, pages);
    }
  }

  private long start() {
    return (long) firstPage * BufferPool.PAGE_BYTES;
  }

  private void checkRange(long offset, long bytes) {
    if (offset < 0 || bytes < 0 || offset > capacity() - bytes) {
      throw new IndexOutOfBoundsException(
          bytes + " bytes at " + offset + " of a buffer of " + capacity());
    }
  }
}
