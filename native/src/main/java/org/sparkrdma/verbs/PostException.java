package org.sparkrdma.verbs;

/**
 * A list of work requests that was not posted in full. The first {@link #posted()} of them are on
 * the queue and will complete; the rest never will.
 */
public final class PostException extends VerbException {
  private static final long serialVersionUID = 1L;

  private final int posted;

  PostException(String verb, int errno, int posted, int listed, String queue) {
    super(verb, errno, posted + " of " + listed + " work requests posted on " + queue);
    this.posted = posted;
  }

  /** Number of leading requests of the list that were posted. */
  public int posted() {
    return posted;
  }
}
