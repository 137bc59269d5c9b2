package org.apache.spark.shuffle.rdma.memory;

import java.io.InputStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Objects;

/**
 * Reads a memory segment. Like any stream, for one thread at a time; the segment must stay alive.
 */
public final class SegmentInputStream extends InputStream {

  private final MemorySegment segment;
  private long position;
  private long mark;

  public SegmentInputStream(MemorySegment segment) {
    this.segment = segment;
  }

  @Override
  public int read() {
    if (position == segment.byteSize()) {
      return -1;
    }
    return segment.get(ValueLayout.JAVA_BYTE, position++) & 0xff;
  }

  @Override
  public int read(byte[] into, int offset, int length) {
    Objects.checkFromIndexSize(offset, length, into.length);
    if (length == 0) {
      return 0;
    }
    long left = segment.byteSize() - position;
    if (left == 0) {
      return -1;
    }
    int count = (int) Math.min(length, left);
    MemorySegment.copy(segment, ValueLayout.JAVA_BYTE, position, into, offset, count);
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
