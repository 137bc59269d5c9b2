package org.sparkrdma.bench.builtin;

import java.io.Serializable;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How much input each workload gets.
 *
 * @param megabytes of 10^6 bytes, about, for each workload; 1 or more
 */
public record Size(int megabytes) implements Serializable {

  private static final int MAX_MEGABYTES = 10_000_000;
  private static final int MEGABYTES_PER_PARTITION = 32;
  private static final int MIN_PARTITIONS = 8;
  private static final int MAX_PARTITIONS = 2000;
  private static final Pattern AMOUNT = Pattern.compile("(\\d{1,8})([mg])");

  /** What {@link #of} takes, for messages. */
  public static final String FORMS = "tiny, small, large, or a size such as 500m or 10g";

  public Size {
    if (megabytes < 1 || megabytes > MAX_MEGABYTES) {
      throw new IllegalArgumentException(
          "a size must be 1 to " + MAX_MEGABYTES + " MB, not " + megabytes);
    }
  }

  /**
   * Of a name or an amount.
   *
   * @throws IllegalArgumentException if it's neither
   */
  public static Size of(String text) {
    return switch (text.toLowerCase(Locale.ROOT)) {
      case "tiny" -> new Size(3);
      case "small" -> new Size(200);
      case "large" -> new Size(3000);
      default -> ofAmount(text.toLowerCase(Locale.ROOT));
    };
  }

  private static Size ofAmount(String text) {
    Matcher matcher = AMOUNT.matcher(text);
    if (!matcher.matches()) {
      throw new IllegalArgumentException("a scale is " + FORMS + ", not " + text);
    }
    long amount = Long.parseLong(matcher.group(1)) * (matcher.group(2).equals("g") ? 1000 : 1);
    return new Size((int) Math.min(amount, Integer.MAX_VALUE));
  }

  /** Of inputs and of shuffles. */
  public int partitions() {
    return Math.clamp(megabytes / MEGABYTES_PER_PARTITION, MIN_PARTITIONS, MAX_PARTITIONS);
  }

  /** Of 100 bytes each. */
  long records() {
    return megabytes * 10_000L;
  }

  /** Of text, of ten words or about 90 bytes each. */
  long lines() {
    return megabytes * 11_000L;
  }

  /** Different words. */
  long words() {
    return megabytes * 2_000L;
  }

  long pages() {
    return megabytes * 1_000L;
  }

  /** Links between pages, about 15 bytes each. */
  long links() {
    return megabytes * 66_000L;
  }

  /** Rows about 100 bytes long. */
  long visits() {
    return megabytes * 10_000L;
  }
}
