package org.sparkrdma.verbs;

import java.util.List;

/** How a work request ended: {@code ibv_wc_status}, in its order. */
public enum CompletionStatus {
  SUCCESS,
  /** Message longer than the local buffers, or than the device's largest message. */
  LOCAL_LENGTH_ERROR,
  LOCAL_QUEUE_PAIR_ERROR,
  LOCAL_EE_CONTEXT_ERROR,
  /**
   * A local buffer is outside its region, or the region lacks the access or the protection domain.
   */
  LOCAL_PROTECTION_ERROR,
  /** Flushed: the queue pair went to the error state before this request was done. */
  FLUSHED,
  WINDOW_BIND_ERROR,
  BAD_RESPONSE,
  LOCAL_ACCESS_ERROR,
  REMOTE_INVALID_REQUEST,
  /**
   * The peer's device refused: unknown key, outside the region, access not allowed, other domain.
   */
  REMOTE_ACCESS_ERROR,
  REMOTE_OPERATION_ERROR,
  /** The peer does not acknowledge: it is gone, or packets get lost. */
  RETRY_EXCEEDED,
  /** The peer had no receive request posted, for as long as the sender was willing to try. */
  RECEIVER_NOT_READY,
  LOCAL_RDD_VIOLATION,
  REMOTE_INVALID_RD_REQUEST,
  REMOTE_ABORTED,
  INVALID_EE_CONTEXT_NUMBER,
  INVALID_EE_CONTEXT_STATE,
  FATAL,
  RESPONSE_TIMEOUT,
  GENERAL_ERROR,
  TAG_MATCHING_ERROR,
  TAG_RENDEZVOUS_INCOMPLETE,
  /** A value that this library does not know. */
  UNKNOWN;

  private static final List<CompletionStatus> VALUES = List.of(values());

  static CompletionStatus of(int code) {
    return code >= 0 && code < VALUES.size() - 1 ? VALUES.get(code) : UNKNOWN;
  }
}
