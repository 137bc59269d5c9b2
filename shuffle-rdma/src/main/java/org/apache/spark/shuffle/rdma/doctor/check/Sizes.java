package org.apache.spark.shuffle.rdma.doctor.check;

import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Sizes in bytes, for people. */
public final class Sizes {

  private static final Pattern WRITTEN = Pattern.compile("(\\d{1,9})([kmg]?)");

  private Sizes() {}

  /** Reads what Spark writes: {@code 64m}, {@code 4k}; plain numbers are bytes. */
  public static Optional<Long> parse(String text) {
    Matcher size = WRITTEN.matcher(text.strip().toLowerCase(Locale.ROOT));
    if (!size.matches()) {
      return Optional.empty();
    }
    int shift =
        switch (size.group(2)) {
          case "k" -> 10;
          case "m" -> 20;
          case "g" -> 30;
          default -> 0;
        };
    return Optional.of(Long.parseLong(size.group(1)) << shift);
  }

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
