package org.apache.spark.shuffle.rdma.location;

import java.nio.charset.StandardCharsets;

/**
 * How large anything on the wire may be. The constructors of {@link Message} check these, so what
 * can be built can be encoded, and what is decoded is within them.
 */
public final class Limits {

  /** Largest encoded message, in bytes. Nothing longer is even looked at. */
  public static final int MAX_MESSAGE_BYTES = 1024 * 1024;

  /**
   * Largest encoded {@link Message.LookupReply}, in bytes: 512 KiB, from which on Spark too doesn't
   * answer an executor inline (spark.shuffle.mapOutput.minSizeForBroadcast).
   */
  public static final int MAX_LOOKUP_REPLY_BYTES = 512 * 1024;

  /** Largest executor id, in bytes of UTF-8. Spark's are decimal numbers or {@code driver}. */
  public static final int MAX_EXECUTOR_ID_BYTES = 256;

  /** Largest name of a fabric, in bytes of UTF-8. */
  public static final int MAX_FABRIC_NAME_BYTES = 64;

  /** Largest reason for a refused hello, in bytes of UTF-8. */
  public static final int MAX_REASON_BYTES = 1024;

  /**
   * Largest device, address or detail of an error in a {@link Message.Report}, in bytes of UTF-8.
   */
  public static final int MAX_STATUS_TEXT_BYTES = 1024;

  /** Most locations in one {@link Message.Publish}: at 65 bytes at most each, 260 KiB. */
  public static final int MAX_LOCATIONS = 4096;

  /** Most map ids in one {@link Message.Absent}: at 9 bytes at most each, 144 KiB. */
  public static final int MAX_MAP_IDS = 16384;

  private Limits() {}

  /**
   * @throws IllegalArgumentException if the text is longer than this many bytes of UTF-8
   */
  static void checkText(String what, String text, int maxBytes) {
    // The first test keeps a huge text from being encoded only to be refused.
    if (text.length() > maxBytes || text.getBytes(StandardCharsets.UTF_8).length > maxBytes) {
      throw new IllegalArgumentException(
          what + " of " + text.length() + " characters; at most " + maxBytes + " bytes allowed");
    }
  }

  /**
   * @throws IllegalArgumentException if the count is above the limit or below 0
   */
  static void checkCount(String what, long count, long max) {
    if (count < 0 || count > max) {
      throw new IllegalArgumentException(what + ": " + count + "; 0 to " + max + " allowed");
    }
  }
}
