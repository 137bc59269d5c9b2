package org.apache.spark.shuffle.rdma;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import org.apache.spark.network.util.AbstractFileRegion;
import org.apache.spark.shuffle.rdma.memory.HeldBlock;

/**
 * A held block on its way out by Spark's TCP server, which stays mapped until Netty releases this.
 */
final class MappedFileRegion extends AbstractFileRegion {

  private final HeldBlock held;
  private final ByteBuffer bytes;
  private long transferred;

  /** Takes over the block. */
  MappedFileRegion(HeldBlock held) {
    this.held = held;
    this.bytes = held.byteBuffer();
  }

  @Override
  public long position() {
    return 0;
  }

  @Override
  public long count() {
    return bytes.limit();
  }

  @Override
  public long transferred() {
    return transferred;
  }

  @Override
  public long transferTo(WritableByteChannel target, long position) throws IOException {
    int from = Math.toIntExact(position);
    int written = target.write(bytes.slice(from, bytes.limit() - from));
    transferred += Math.max(written, 0);
    return written;
  }

  @Override
  protected void deallocate() {
    held.close();
  }
}
