package org.sparkrdma.verbs;

import java.util.Locale;

/**
 * A work request that failed. Its queue pair is in the error state, and all behind it is flushed.
 */
public class WorkRequestException extends RdmaException {
  private static final long serialVersionUID = 1L;

  private final long workRequestId;
  private final CompletionStatus status;
  private final int vendorError;

  WorkRequestException(
      long workRequestId, CompletionStatus status, int vendorError, int queuePair) {
    super(
        String.format(
            Locale.ROOT,
            "work request %d on queue pair %d: %s, vendor error 0x%x",
            workRequestId,
            queuePair,
            status,
            vendorError));
    this.workRequestId = workRequestId;
    this.status = status;
    this.vendorError = vendorError;
  }

  /**
   * The exception class for a status; {@link WorkRequestException} itself where no own class is.
   */
  static WorkRequestException of(
      long workRequestId, CompletionStatus status, int vendorError, int queuePair) {
    return switch (status) {
      case REMOTE_ACCESS_ERROR -> new RemoteAccess(workRequestId, vendorError, queuePair);
      case LOCAL_PROTECTION_ERROR -> new LocalProtection(workRequestId, vendorError, queuePair);
      case FLUSHED -> new Flushed(workRequestId, vendorError, queuePair);
      case RETRY_EXCEEDED, RECEIVER_NOT_READY ->
          new NoAnswer(workRequestId, status, vendorError, queuePair);
      default -> new WorkRequestException(workRequestId, status, vendorError, queuePair);
    };
  }

  /** The id that the request was posted with. */
  public long workRequestId() {
    return workRequestId;
  }

  public CompletionStatus status() {
    return status;
  }

  /** The device's own error code, whatever it means there. */
  public int vendorError() {
    return vendorError;
  }

  /** The peer's device checked the key, the bounds, the permission and the domain, and refused. */
  public static final class RemoteAccess extends WorkRequestException {
    private static final long serialVersionUID = 1L;

    RemoteAccess(long id, int vendorError, int queuePair) {
      super(id, CompletionStatus.REMOTE_ACCESS_ERROR, vendorError, queuePair);
    }
  }

  /**
   * The local device checked the local buffer's key, bounds, permission and domain, and refused.
   */
  public static final class LocalProtection extends WorkRequestException {
    private static final long serialVersionUID = 1L;

    LocalProtection(long id, int vendorError, int queuePair) {
      super(id, CompletionStatus.LOCAL_PROTECTION_ERROR, vendorError, queuePair);
    }
  }

  /**
   * Never done, since the queue pair broke. Where this is the <em>first</em> failure of a queue
   * pair, the peer terminated the connection: iWARP shows a refused read in no other way.
   */
  public static final class Flushed extends WorkRequestException {
    private static final long serialVersionUID = 1L;

    Flushed(long id, int vendorError, int queuePair) {
      super(id, CompletionStatus.FLUSHED, vendorError, queuePair);
    }
  }

  /** The peer did not acknowledge, or was not ready to receive, after all retries. */
  public static final class NoAnswer extends WorkRequestException {
    private static final long serialVersionUID = 1L;

    NoAnswer(long id, CompletionStatus status, int vendorError, int queuePair) {
      super(id, status, vendorError, queuePair);
    }
  }
}
