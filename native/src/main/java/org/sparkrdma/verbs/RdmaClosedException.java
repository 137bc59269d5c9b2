package org.sparkrdma.verbs;

/** A call on a handle that was closed before. */
public final class RdmaClosedException extends RdmaException {
  private static final long serialVersionUID = 1L;

  RdmaClosedException(String handle) {
    super(handle + " is closed");
  }
}
