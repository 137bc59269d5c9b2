package org.sparkrdma.verbs;

import java.util.List;

/** {@code ibv_qp_state}, in its order. */
public enum QueuePairState {
  RESET,
  /** Receives can be posted. */
  INIT,
  READY_TO_RECEIVE,
  /** Connected. */
  READY_TO_SEND,
  SEND_QUEUE_DRAINING,
  SEND_QUEUE_ERROR,
  /** Broken: all is flushed. */
  ERROR,
  UNKNOWN;

  private static final List<QueuePairState> VALUES = List.of(values());

  static QueuePairState of(int code) {
    return code >= 0 && code < VALUES.size() - 1 ? VALUES.get(code) : UNKNOWN;
  }
}
