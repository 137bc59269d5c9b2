package org.apache.spark.shuffle.rdma.fabric;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/** For implementations of {@link Fabric#address()}: byte strings with their length before them. */
public final class AddressBytes {

  private AddressBytes() {}

  /** Writes at most 255 bytes behind a byte with their number. */
  public static void put(ByteBuffer out, byte[] bytes) {
    out.put((byte) bytes.length).put(bytes);
  }

  /**
   * Reads what {@link #put} wrote.
   *
   * @throws FabricException BAD_ADDRESS if there are more than {@code most}, or they don't fit
   */
  public static byte[] get(ByteBuffer in, int most) throws FabricException {
    int length = in.hasRemaining() ? Byte.toUnsignedInt(in.get()) : Integer.MAX_VALUE;
    if (length > most || length > in.remaining()) {
      throw new FabricException(
          FabricException.Kind.BAD_ADDRESS, "a length in an address leads past its end");
    }
    byte[] bytes = new byte[length];
    in.get(bytes);
    return bytes;
  }

  /**
   * Reads UTF-8 that {@link #put} wrote.
   *
   * @throws FabricException BAD_ADDRESS as {@link #get}, or if it isn't UTF-8
   */
  public static String getText(ByteBuffer in, int most) throws FabricException {
    byte[] bytes = get(in, most);
    try {
      // Strict: two addresses that differ name two owners, or none.
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException e) {
      throw new FabricException(
          FabricException.Kind.BAD_ADDRESS, "a text in an address isn't UTF-8", e);
    }
  }
}
