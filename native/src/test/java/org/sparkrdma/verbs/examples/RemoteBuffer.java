package org.sparkrdma.verbs.examples;

import java.nio.ByteBuffer;
import org.sparkrdma.verbs.MemoryRegion;

/**
 * The permission to reach a peer's memory, as 16 bytes in network order: what rping sends around,
 * too.
 *
 * @param address of the first byte
 * @param key the region's remote key
 * @param length in bytes
 */
record RemoteBuffer(long address, int key, int length) {
  static final int BYTES = Long.BYTES + 2 * Integer.BYTES;

  static RemoteBuffer of(MemoryRegion region) {
    return new RemoteBuffer(region.address(), region.remoteKey(), (int) region.length());
  }

  byte[] encode() {
    return ByteBuffer.allocate(BYTES).putLong(address).putInt(key).putInt(length).array();
  }

  /** The transport may have padded the bytes at their end. */
  static RemoteBuffer decode(byte[] bytes) {
    ByteBuffer buffer = ByteBuffer.wrap(bytes);
    return new RemoteBuffer(buffer.getLong(), buffer.getInt(), buffer.getInt());
  }
}
