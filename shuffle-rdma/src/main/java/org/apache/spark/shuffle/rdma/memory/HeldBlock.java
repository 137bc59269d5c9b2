package org.apache.spark.shuffle.rdma.memory;

import java.io.InputStream;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A local block whose bytes stay mapped until this is closed, which may happen more than once and
 * on any thread.
 */
public final class HeldBlock implements AutoCloseable {

  private final MemorySegment bytes;
  private final Runnable letGo;
  private final AtomicBoolean closed = new AtomicBoolean();

  HeldBlock(MemorySegment bytes, Runnable letGo) {
    this.bytes = bytes;
    this.letGo = letGo;
  }

  /** A read-only view, at most 2 GiB, for as long as this isn't closed. */
  public ByteBuffer byteBuffer() {
    return bytes.asByteBuffer();
  }

  /** Reads the block; closing the stream closes this. */
  public InputStream inputStream() {
    return new SegmentInputStream(bytes, this::close);
  }

  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      letGo.run();
    }
  }
}
