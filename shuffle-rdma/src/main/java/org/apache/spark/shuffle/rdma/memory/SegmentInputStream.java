package org.apache.spark.shuffle.rdma.memory;

import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Objects;

/**
 * Reads a memory segment. Like any stream, for one thread at a time; the segment must stay alive.
 */
public final class SegmentInputStream extends InputStream {

  private final MemorySegment segment;
  private final Runnable onClose;
  private long position;
  private long mark;

  public SegmentInputStream(MemorySegment segment) {
    this(segment, () -> {});
  }

  /**
   * A stream that tells of its end.
   *
   * @param onClose run at each close; afterwards the segment may be gone
   */
  SegmentInputStream(MemorySegment segment, Runnable onClose) {
    this.segment = segment;
    this.onClose = onClose;
  }

  @Override
  public int read() {
    if (position == segment.byteSize()) {
      return -1;
    }
    return segment.get(ValueLayout.JAVA_BYTE, position++) & 0xff;
  }

  @Override
  public int read(byte[] into, int offset, int length) throws IOException {
    Objects.checkFromIndexSize(offset, length, into.length);
    if (length == 0) {
      return 0;
    }
    long left = segment.byteSize() - position;
    if (left == 0) {
      return -1;
    }
    int count = (int) Math.min(length, left);
    try {
      MemorySegment.copy(segment, ValueLayout.JAVA_BYTE, position, into, offset, count);
    } catch (InternalError e) {
      // How the JVM tells that the system couldn't read a mapped page: a failing disk.
      throw new IOException("a mapped file can't be read", e);
    }
    position += count;
    return count;
  }

  @Override
  public long skip(long bytes) {
    long count = Math.clamp(bytes, 0, segment.byteSize() - position);
    position += count;
    return count;
  }

  @Override
  public int available() {
    return (int) Math.min(segment.byteSize() - position, Integer.MAX_VALUE);
  }

  @Override
  public void close() {
    onClose.run();
  }

  @Override
  public boolean markSupported() {
    return true;
  }

  @Override
  public synchronized void mark(int readLimit) {
    mark = position;
  }

  @Override
  public synchronized void reset() {
    position = mark;
  }
}
