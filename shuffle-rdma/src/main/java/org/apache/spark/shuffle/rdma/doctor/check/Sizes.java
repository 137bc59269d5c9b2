package org.apache.spark.shuffle.rdma.doctor.check;

import java.util.Locale;

/** Sizes in bytes, for people. */
public final class Sizes {

  private Sizes() {}

  static String count(long number) {
    return String.format(Locale.ROOT, "%,d", number);
  }

  /** In the largest binary unit of which it's a whole number, or in MiB if it's many. */
  public static String text(long bytes) {
    if (bytes >= 1 << 20) {
      return String.format(Locale.ROOT, "%,d MiB", bytes >> 20);
    }
    return bytes >= 1024 && bytes % 1024 == 0
        ? String.format(Locale.ROOT, "%,d KiB", bytes >> 10)
        : String.format(Locale.ROOT, "%,d bytes", bytes);
  }
}
