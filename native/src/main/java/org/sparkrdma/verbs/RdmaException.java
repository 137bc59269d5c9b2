package org.sparkrdma.verbs;

/** Root of everything that this library throws for a reason outside the calling code. */
public class RdmaException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public RdmaException(String message) {
    super(message);
  }

  public RdmaException(String message, Throwable cause) {
    super(message, cause);
  }

  /** Never null. */
  @Override
  public String getMessage() {
    return String.valueOf(super.getMessage());
  }
}
