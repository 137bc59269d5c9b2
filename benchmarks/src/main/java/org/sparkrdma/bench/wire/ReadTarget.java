package org.sparkrdma.bench.wire;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;

/** What a client has to know of the server's memory; sent along when the server accepts. */
record ReadTarget(long address, int key) {

  /** Bytes of the server's memory: as much as the largest read. */
  static final int BYTES = 1 << 20;

  private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG;
  private static final long PATTERN = 0x5eed_0000_0000L;

  byte[] encode() {
    return ByteBuffer.allocate(Long.BYTES + Integer.BYTES).putLong(address).putInt(key).array();
  }

  static ReadTarget decode(byte[] bytes) {
    ByteBuffer buffer = ByteBuffer.wrap(bytes);
    return new ReadTarget(buffer.getLong(), buffer.getInt());
  }

  /** Fills the server's memory, so that a client can tell whether its reads were reads. */
  static void fill(MemorySegment memory) {
    for (long offset = 0; offset < memory.byteSize(); offset += Long.BYTES) {
      memory.set(WORD, offset, PATTERN + offset);
    }
  }

  /** Checks what was read from the start of the server's memory. */
  static void check(MemorySegment memory, int bytes) {
    for (long offset = 0; offset < bytes; offset += Long.BYTES) {
      if (memory.get(WORD, offset) != PATTERN + offset) {
        throw new IllegalStateException("a read brought something else at byte " + offset);
      }
    }
  }
}
