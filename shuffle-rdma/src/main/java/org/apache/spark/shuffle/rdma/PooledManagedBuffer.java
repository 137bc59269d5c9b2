package org.apache.spark.shuffle.rdma;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import org.apache.spark.network.buffer.ManagedBuffer;
import org.apache.spark.network.buffer.NioManagedBuffer;
import org.apache.spark.shuffle.rdma.memory.BufferSlice;

/**
 * A fetched block as Spark wants it. It counts its references through the pooled buffer that it
 * shares with the blocks that came by the same list.
 */
final class PooledManagedBuffer extends ManagedBuffer {

  private final BufferSlice slice;

  /** Takes no reference: who keeps it retains it. */
  PooledManagedBuffer(BufferSlice slice) {
    this.slice = slice;
  }

  @Override
  public long size() {
    return slice.length();
  }

  @Override
  public ByteBuffer nioByteBuffer() {
    return slice.byteBuffer();
  }

  @Override
  public InputStream createInputStream() {
    return slice.inputStream();
  }

  @Override
  public ManagedBuffer retain() {
    slice.retain();
    return this;
  }

  @Override
  public ManagedBuffer release() {
    slice.release();
    return this;
  }

  /** A copy: Netty may hold it for longer than the pool's buffer lives. Spark never sends these. */
  @Override
  public Object convertToNetty() throws IOException {
    return copy().convertToNetty();
  }

  @Override
  public Object convertToNettyForSsl() throws IOException {
    return copy().convertToNettyForSsl();
  }

  private NioManagedBuffer copy() {
    ByteBuffer copy = ByteBuffer.allocate(Math.toIntExact(slice.length()));
    return new NioManagedBuffer(copy.put(slice.byteBuffer()).flip());
  }
}
