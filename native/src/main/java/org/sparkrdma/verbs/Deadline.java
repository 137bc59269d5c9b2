package org.sparkrdma.verbs;

/** A point in time by which a sequence of steps must be done. */
final class Deadline {
  private final long timeoutMillis;
  private final long endNanos;

  private Deadline(long timeoutMillis) {
    this.timeoutMillis = timeoutMillis;
    this.endNanos = System.nanoTime() + timeoutMillis * 1_000_000;
  }

  /**
   * @param timeoutMillis from 1 to a day; forever is not offered
   */
  static Deadline after(long timeoutMillis) {
    if (timeoutMillis < 1 || timeoutMillis > 86_400_000) {
      throw new IllegalArgumentException(
          "timeout of " + timeoutMillis + " ms, must be 1 to 86400000");
    }
    return new Deadline(timeoutMillis);
  }

  /** What is left, rounded up; 0 when over. */
  long leftMillis() {
    return Math.max(0, (endNanos - System.nanoTime() + 999_999) / 1_000_000);
  }

  /** What is left as a C function's argument, at least 1. */
  int leftForCall() {
    return (int) Math.max(1, leftMillis());
  }

  RdmaTimeoutException expired(String step) {
    return new RdmaTimeoutException(step, timeoutMillis);
  }
}
