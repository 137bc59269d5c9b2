package org.apache.spark.shuffle.rdma.doctor.path;

import java.nio.ByteBuffer;

/**
 * The memory that a server lets be read.
 *
 * @param address of its first byte, by which peers read it
 * @param key remote key
 * @param bytes its length
 * @param seed of its pattern
 */
record Target(long address, long key, long bytes, long seed) {

  static final int ENCODED_BYTES = 4 * Long.BYTES;

  void put(ByteBuffer out) {
    out.putLong(address).putLong(key).putLong(bytes).putLong(seed);
  }

  static Target get(ByteBuffer in) {
    return new Target(in.getLong(), in.getLong(), in.getLong(), in.getLong());
  }
}
