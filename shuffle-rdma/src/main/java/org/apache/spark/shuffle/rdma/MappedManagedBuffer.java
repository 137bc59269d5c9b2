package org.apache.spark.shuffle.rdma;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.apache.spark.network.buffer.FileSegmentManagedBuffer;
import org.apache.spark.network.buffer.ManagedBuffer;
import org.apache.spark.shuffle.rdma.memory.HeldBlock;
import org.apache.spark.shuffle.rdma.memory.LocalBlock;
import org.apache.spark.shuffle.rdma.metrics.Counter;
import org.apache.spark.shuffle.rdma.metrics.Counters;
import org.jspecify.annotations.Nullable;

/**
 * A block of this executor's own, from the mapping of its output while that is there, else from the
 * file. Like Spark's buffer of a file, one that nobody reads holds nothing: Spark's server releases
 * what it never retained, its reader retains once more than it made, and a diagnosis does neither.
 * So each stream and each message holds the mapping for itself. Any thread may call.
 */
final class MappedManagedBuffer extends ManagedBuffer {

  private final LocalBlock block;
  private final Supplier<FileSegmentManagedBuffer> file;
  private final Counters counters;
  private final List<HeldBlock> streams = new ArrayList<>(1);
  private int references;

  MappedManagedBuffer(
      LocalBlock block, Supplier<FileSegmentManagedBuffer> file, Counters counters) {
    this.block = block;
    this.file = file;
    this.counters = counters;
  }

  @Override
  public long size() {
    return block.length();
  }

  @Override
  public ByteBuffer nioByteBuffer() throws IOException {
    return file.get().nioByteBuffer();
  }

  @Override
  public synchronized InputStream createInputStream() {
    HeldBlock held = hold();
    if (held == null) {
      return fromFile();
    }
    streams.add(held);
    return held.inputStream();
  }

  /**
   * Spark's reader expects a failure to open from its own class of file buffers alone; a failure to
   * read is told from any, as the same failed fetch.
   */
  private InputStream fromFile() {
    try {
      return file.get().createInputStream();
    } catch (IOException e) {
      return new InputStream() {
        @Override
        public int read() throws IOException {
          throw new IOException("the file of a block is gone or can't be opened", e);
        }

        @Override
        public int read(byte[] into, int offset, int length) throws IOException {
          return read();
        }
      };
    }
  }

  @Override
  public Object convertToNetty() throws IOException {
    HeldBlock held = block.length() > Integer.MAX_VALUE ? null : hold();
    return held == null ? file.get().convertToNetty() : new MappedFileRegion(held);
  }

  @Override
  public Object convertToNettyForSsl() throws IOException {
    return file.get().convertToNettyForSsl();
  }

  private @Nullable HeldBlock hold() {
    HeldBlock held = block.hold();
    if (held != null) {
      counters.increment(Counter.BLOCKS_FROM_MAPPING);
    }
    return held;
  }

  @Override
  public synchronized ManagedBuffer retain() {
    references++;
    return this;
  }

  /** After the last one, streams that Spark forgot to close, as of a killed task, hold nothing. */
  @Override
  public synchronized ManagedBuffer release() {
    references--;
    if (references <= 0) {
      streams.forEach(HeldBlock::close);
      streams.clear();
    }
    return this;
  }
}
