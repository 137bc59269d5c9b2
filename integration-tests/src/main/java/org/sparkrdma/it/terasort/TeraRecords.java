package org.sparkrdma.it.terasort;

import java.util.Arrays;
import java.util.Iterator;
import java.util.NoSuchElementException;

/**
 * The records that TeraSort sorts: 100 bytes, of which the first 10 are the key. All bytes are
 * pseudo-random, a function of the seed and the row's number alone, so that any task can make any
 * rows and compression doesn't shrink what is shuffled.
 */
public final class TeraRecords {

  /** Bytes of a record. */
  public static final int LENGTH = 100;

  /** Bytes of its key, at its start. */
  public static final int KEY_LENGTH = 10;

  private static final long GOLDEN_GAMMA = 0x9E3779B97F4A7C15L;

  private TeraRecords() {}

  /** The record of one row. */
  public static byte[] make(long seed, long row) {
    byte[] bytes = new byte[LENGTH];
    long state = mix(seed) + row;
    long word = 0;
    for (int i = 0; i < LENGTH; i++) {
      if (i % Long.BYTES == 0) {
        state = mix(state + GOLDEN_GAMMA);
        word = state;
      }
      bytes[i] = (byte) word;
      word >>>= Byte.SIZE;
    }
    return bytes;
  }

  /**
   * The records of rows {@code first} to {@code end}, made as they are asked for.
   *
   * @param end exclusive
   */
  public static Iterator<byte[]> rows(long seed, long first, long end) {
    return new Iterator<>() {
      private long next = first;

      @Override
      public boolean hasNext() {
        return next < end;
      }

      @Override
      public byte[] next() {
        if (!hasNext()) {
          throw new NoSuchElementException();
        }
        return make(seed, next++);
      }
    };
  }

  /** A copy of a record's key. */
  public static byte[] key(byte[] record) {
    return Arrays.copyOf(record, KEY_LENGTH);
  }

  /** A copy of what follows a record's key. */
  public static byte[] value(byte[] record) {
    return Arrays.copyOfRange(record, KEY_LENGTH, LENGTH);
  }

  /** The record of a key and a value. */
  public static byte[] join(byte[] key, byte[] value) {
    byte[] record = Arrays.copyOf(key, LENGTH);
    System.arraycopy(value, 0, record, KEY_LENGTH, LENGTH - KEY_LENGTH);
    return record;
  }

  /** Compares the keys of two records, or two bare keys, as unsigned bytes. */
  public static int compareKeys(byte[] left, byte[] right) {
    return Arrays.compareUnsigned(left, 0, KEY_LENGTH, right, 0, KEY_LENGTH);
  }

  /** The finalizer of SplitMix64 (Steele, Lea and Flood, 2014): every bit depends on every bit. */
  private static long mix(long value) {
    long z = (value ^ (value >>> 30)) * 0xBF58476D1CE4E5B9L;
    z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
    return z ^ (z >>> 31);
  }
}
