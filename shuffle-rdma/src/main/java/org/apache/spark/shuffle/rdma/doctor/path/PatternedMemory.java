package org.apache.spark.shuffle.rdma.doctor.path;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import org.apache.spark.shuffle.rdma.fabric.Fabric;
import org.apache.spark.shuffle.rdma.fabric.Region;

/**
 * Registered memory of 8-byte words, in which each word can be told from the seed and its place: so
 * a reader knows of every byte whether it's the right one. Not for several threads.
 */
final class PatternedMemory implements AutoCloseable {

  private static final ValueLayout.OfLong WORD =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  /** Regions of whole pages suit every device. */
  private static final int PAGE_BYTES = 4096;

  private final Arena arena = Arena.ofShared();
  private final MemorySegment memory;
  private final Region region;

  /**
   * Zeros.
   *
   * @param bytes 8 or more, a multiple of 8
   */
  PatternedMemory(Fabric fabric, long bytes, Fabric.Access access) throws IOException {
    Region registered = null;
    try {
      memory = arena.allocate(bytes, PAGE_BYTES);
      registered = fabric.register(memory, access);
    } finally {
      if (registered == null) {
        arena.close();
      }
    }
    region = registered;
  }

  Region region() {
    return region;
  }

  /** Makes all of it differ from the pattern, so that what wasn't read is seen. */
  void clear() {
    memory.fill((byte) 0);
  }

  /** Writes the pattern. */
  void fill(long seed) {
    for (long offset = 0; offset < memory.byteSize(); offset += Long.BYTES) {
      memory.set(WORD, offset, word(seed, offset));
    }
  }

  /**
   * Compares what was read from another such memory.
   *
   * @param from the place there of this memory's first byte, a multiple of 8
   * @param bytes how many, a multiple of 8
   * @return how many words are wrong
   */
  long countWrong(long seed, long from, long bytes) {
    long wrong = 0;
    for (long offset = 0; offset < bytes; offset += Long.BYTES) {
      if (memory.get(WORD, offset) != word(seed, from + offset)) {
        wrong++;
      }
    }
    return wrong;
  }

  /** The finalizer of <a href="https://prng.di.unimi.it/splitmix64.c">SplitMix64</a>. */
  private static long word(long seed, long offset) {
    long z = seed + offset * 0x9e3779b97f4a7c15L;
    z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
    z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
    return z ^ (z >>> 31);
  }

  /** The memory for streams over TCP; valid until this closes. */
  java.nio.ByteBuffer bytes(long from, int length) {
    return memory.asSlice(from, length).asByteBuffer();
  }

  /** Nothing may read into it or send from it any more. */
  @Override
  public void close() {
    region.close();
    arena.close();
  }
}
