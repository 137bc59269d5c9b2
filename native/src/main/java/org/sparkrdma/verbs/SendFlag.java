package org.sparkrdma.verbs;

/** How a request is sent: bits to be combined with {@code |}, since posting allocates nothing. */
public final class SendFlag {
  /** Nothing special: completes silently, unless it fails. */
  public static final int NONE = 0;

  /** Starts only after all READs posted before have completed. */
  public static final int FENCE = 1;

  /** Completes visibly. Without it, only a failure does. */
  public static final int SIGNALED = 1 << 1;

  /** Wakes a peer that asked for solicited notifications alone. */
  public static final int SOLICITED = 1 << 2;

  /**
   * The data are copied at the post; only for SEND and WRITE, up to the queue pair's inline bytes.
   */
  public static final int INLINE = 1 << 3;

  private SendFlag() {}
}
