package org.sparkrdma.verbs;

/**
 * A call of libibverbs or librdmacm that failed. The message names it, the error, sizes and limits.
 */
public class VerbException extends RdmaException {
  private static final long serialVersionUID = 1L;

  private final String verb;
  private final int errno;

  /**
   * @param verb name of the C function
   * @param errno Linux error number
   * @param detail what was asked for, with sizes and limits; may be empty
   */
  public VerbException(String verb, int errno, String detail) {
    super(
        verb + " failed: " + Errno.describe(errno) + (detail.isEmpty() ? "" : " (" + detail + ")"));
    this.verb = verb;
    this.errno = errno;
  }

  /** Name of the C function, such as {@code ibv_reg_mr}. */
  public String verb() {
    return verb;
  }

  /** Linux error number, such as 12 for ENOMEM. */
  public int errno() {
    return errno;
  }
}
