package org.apache.spark.shuffle.rdma.fabric;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.UUID;

/** 128 bits by which a start, a connection or a boot is told from every other one. */
public record Nonce(long high, long low) {

  public static final int BYTES = 16;
  public static final Nonce ZERO = new Nonce(0, 0);

  private static final SecureRandom RANDOM = new SecureRandom();
  private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");

  public static Nonce random() {
    return new Nonce(RANDOM.nextLong(), RANDOM.nextLong());
  }

  /** The kernel's id of this boot, the same in every container of the host; ZERO if unknown. */
  public static Nonce ofThisBoot() {
    try {
      UUID id = UUID.fromString(Files.readString(BOOT_ID, StandardCharsets.US_ASCII).strip());
      return new Nonce(id.getMostSignificantBits(), id.getLeastSignificantBits());
    } catch (IOException | IllegalArgumentException e) {
      return ZERO;
    }
  }

  public void put(ByteBuffer out) {
    out.putLong(high).putLong(low);
  }

  public static Nonce get(ByteBuffer in) {
    return new Nonce(in.getLong(), in.getLong());
  }

  /** Takes the same time wherever the first difference is. */
  public boolean sameAs(Nonce other) {
    return ((high ^ other.high) | (low ^ other.low)) == 0;
  }
}
