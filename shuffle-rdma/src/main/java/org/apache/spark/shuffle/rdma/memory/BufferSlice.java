package org.apache.spark.shuffle.rdma.memory;

import java.io.InputStream;
import java.nio.ByteBuffer;

/**
 * A part of a pooled buffer that holds one block. It shares the buffer's references.
 *
 * @param offset in bytes from the buffer's start
 * @param length in bytes
 */
public record BufferSlice(PooledBuffer buffer, long offset, long length) {

  /** Keeps the bytes until another {@link #release()}. */
  public void retain() {
    buffer.retain();
  }

  /** Gives a reference back; after the last one the bytes may become anything. */
  public void release() {
    buffer.release();
  }

  /** Reads the block; the caller holds a reference for as long as it reads. */
  public InputStream inputStream() {
    return new SegmentInputStream(buffer.slice(offset, length));
  }

  /** A read-only view of the block, without a copy; the caller holds a reference meanwhile. */
  public ByteBuffer byteBuffer() {
    return buffer.slice(offset, length).asByteBuffer().asReadOnlyBuffer();
  }
}
