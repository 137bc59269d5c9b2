package org.apache.spark.shuffle.rdma.fabric;

import java.lang.foreign.MemorySegment;

/**
 * Registered memory. The owner keeps the segment alive until {@link #close()} returns and doesn't
 * close a {@link Fabric.Access#LOCAL_WRITE} region under an outstanding read.
 */
public interface Region extends AutoCloseable {

  /** The registered memory itself. */
  MemorySegment memory();

  /** The address by which peers read it: virtual, of its first byte. */
  long address();

  /** In bytes, 1 or more. */
  long length();

  /** The remote key (rkey): a peer's read names it. 0 for {@link Fabric.Access#LOCAL_WRITE}. */
  long key();

  /** Deregisters. Idempotent; later remote reads that check the key fail. */
  @Override
  void close();
}
