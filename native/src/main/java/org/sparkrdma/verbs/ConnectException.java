package org.sparkrdma.verbs;

/** A connection that could not be made, or that ended before it was made. */
public final class ConnectException extends RdmaException {
  private static final long serialVersionUID = 1L;

  /** Which event of rdma_cm ended the wait. */
  public enum Reason {
    /** The address belongs to no RDMA device, or nobody answered for it. */
    ADDRESS_UNRESOLVED,
    /** There is a device, but no path to the peer. */
    ROUTE_UNRESOLVED,
    /** Nobody listens there, or the listener said no. */
    REJECTED,
    /** The peer's connection manager does not answer. */
    UNREACHABLE,
    /** Anything else went wrong while connecting. */
    CONNECT_ERROR,
    /** The peer went away before the connection stood. */
    DISCONNECTED,
    /** The local device was taken away. */
    DEVICE_REMOVED
  }

  private final Reason reason;
  private final int status;
  private final transient byte[] privateData;

  ConnectException(Reason reason, CmEvent event, String what) {
    super(what + ": " + reason + " (" + event.type() + ", status " + event.statusText() + ")");
    this.reason = reason;
    this.status = event.status();
    this.privateData = event.privateData();
  }

  private ConnectException(Reason reason, VerbException cause) {
    super(reason + ": " + cause.getMessage(), cause);
    this.reason = reason;
    this.status = -cause.errno();
    this.privateData = new byte[0];
  }

  /** A call that failed at once for a reason that other transports report by an event. */
  static ConnectException of(VerbException cause, Reason otherwise) {
    Reason reason =
        switch (cause.errno()) {
          case Errno.ECONNREFUSED -> Reason.REJECTED;
          case Errno.ETIMEDOUT, Errno.EHOSTUNREACH, Errno.ENETUNREACH -> Reason.UNREACHABLE;
          default -> otherwise;
        };
    return new ConnectException(reason, cause);
  }

  public Reason reason() {
    return reason;
  }

  /**
   * Negative errno or, for {@link Reason#REJECTED}, the transport's reject code (28: the listener
   * said no).
   */
  public int status() {
    return status;
  }

  /**
   * What the listener sent with its rejection; the transport may have padded it with zero bytes.
   */
  public byte[] privateData() {
    return privateData == null ? new byte[0] : privateData.clone();
  }
}
