package org.apache.spark.shuffle.rdma.location;

import java.lang.management.ManagementFactory;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** A fuzz target: bytes that nobody vouches for are one message, or are refused with a reason. */
public final class CodecFuzz {

  /** What decoding may allocate besides the input's multiple: an exception, Kryo itself. */
  private static final long FIXED_BYTES = 2 << 20;

  /** A peer of 2 bytes becomes an object with a text and an array. */
  private static final long BYTES_PER_BYTE = 200;

  private CodecFuzz() {}

  public static void fuzzerTestOneInput(byte[] input) {
    Message message = null;
    long bytes = Long.MAX_VALUE;
    // The first time, classes are loaded.
    for (int tries = 0; tries < 3 && bytes > FIXED_BYTES + BYTES_PER_BYTE * input.length; tries++) {
      long before = allocated();
      message = decoded(input);
      bytes = allocated() - before;
    }
    if (bytes > FIXED_BYTES + BYTES_PER_BYTE * input.length) {
      throw new AssertionError(bytes + " bytes allocated for " + input.length);
    }
    if (message != null) {
      check(message, input.length);
    }
  }

  private static @Nullable Message decoded(byte[] input) {
    try {
      return Codec.decode(input);
    } catch (MalformedMessageException e) {
      return null;
    }
  }

  /** What was understood is what would be written, and the other way round. */
  private static void check(Message message, int length) {
    byte[] encoded = Codec.encode(message);
    if (encoded.length > length) {
      throw new AssertionError("longer than what it was read from: " + message);
    }
    try {
      Message again = Codec.decode(encoded);
      if (!again.getClass().equals(message.getClass())
          || !Arrays.equals(encoded, Codec.encode(again))) {
        throw new AssertionError(message + " became " + again);
      }
    } catch (MalformedMessageException e) {
      throw new AssertionError("its own encoding is refused: " + message, e);
    }
  }

  private static long allocated() {
    return ((com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean())
        .getCurrentThreadAllocatedBytes();
  }
}
