package org.sparkrdma.verbs;

/** A step that did not end within its deadline. */
public final class RdmaTimeoutException extends RdmaException {
  private static final long serialVersionUID = 1L;

  private final long timeoutMillis;

  RdmaTimeoutException(String step, long timeoutMillis) {
    super(step + " did not end within " + timeoutMillis + " ms");
    this.timeoutMillis = timeoutMillis;
  }

  public long timeoutMillis() {
    return timeoutMillis;
  }
}
