package org.sparkrdma.verbs;

/** This machine can't do RDMA now; {@link #reason()} is for code, the message has the remedy. */
public final class RdmaUnavailableException extends RdmaException {
  private static final long serialVersionUID = 1L;

  /** Why, from the library up to the network. */
  public enum Reason {
    /** Not 64-bit Linux with little-endian numbers. */
    UNSUPPORTED_PLATFORM,
    /** libibverbs.so.1 or librdmacm.so.1 can't be loaded. */
    LIBRARY_MISSING,
    /** The loaded library lays out its structures in another way than these bindings. */
    LIBRARY_MISMATCH,
    /** The kernel has no RDMA support, or its modules are not loaded. */
    KERNEL_WITHOUT_RDMA,
    /** RDMA is there, a device is not, or the process may not open it. */
    NO_DEVICE,
    /** The device has no port in state ACTIVE. */
    PORT_DOWN,
    /** No GID of the device belongs to the wanted address. */
    NO_GID
  }

  private final Reason reason;

  public RdmaUnavailableException(Reason reason, String message) {
    super(message);
    this.reason = reason;
  }

  public RdmaUnavailableException(Reason reason, String message, Throwable cause) {
    super(message, cause);
    this.reason = reason;
  }

  public Reason reason() {
    return reason;
  }
}
