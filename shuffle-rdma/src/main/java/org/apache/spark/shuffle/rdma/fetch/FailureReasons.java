package org.apache.spark.shuffle.rdma.fetch;

import java.util.concurrent.CompletionException;
import org.apache.spark.shuffle.rdma.fabric.FabricException;
import org.apache.spark.shuffle.rdma.metrics.FallbackReason;

/** From a fabric's failures to reasons for falling back. */
final class FailureReasons {

  private FailureReasons() {}

  /** The reason for a failure; whatever isn't a fabric's is a defect of ours. */
  static FallbackReason of(Throwable failure) {
    Throwable cause = unwrap(failure);
    return cause instanceof FabricException fabric
        ? of(fabric.kind())
        : FallbackReason.INTERNAL_ERROR;
  }

  static Throwable unwrap(Throwable failure) {
    Throwable cause = failure.getCause();
    return failure instanceof CompletionException && cause != null ? cause : failure;
  }

  static FallbackReason of(FabricException.Kind kind) {
    return switch (kind) {
      case BAD_ADDRESS, PEER_UNREACHABLE -> FallbackReason.PEER_UNREACHABLE;
      case CONNECT_REFUSED -> FallbackReason.CONNECT_REFUSED;
      case AUTHENTICATION_FAILED -> FallbackReason.AUTHENTICATION_FAILED;
      case ACCESS_ERROR -> FallbackReason.ACCESS_ERROR;
      case RETRY_EXCEEDED -> FallbackReason.RETRY_EXCEEDED;
      case CONNECTION_LOST, CLOSED -> FallbackReason.CONNECTION_LOST;
      case PEER_TERMINATED -> FallbackReason.PEER_TERMINATED;
      case QUEUE_FULL -> FallbackReason.QUEUE_FULL;
      case DEVICE_LOST -> FallbackReason.DEVICE_LOST;
      case REGISTRATION_REFUSED -> FallbackReason.INTERNAL_ERROR;
    };
  }

  /** Whether the list may only have been flushed behind another's failure: worth a second try. */
  static boolean mayBeFlushed(FabricException.Kind kind) {
    return switch (kind) {
      case CONNECTION_LOST, PEER_TERMINATED, CLOSED -> true;
      default -> false;
    };
  }

  /** Whether the peer as a whole failed, so that it deserves a pause. */
  static boolean isPeerFailure(FallbackReason reason) {
    return switch (reason) {
      case PEER_UNREACHABLE,
          CONNECT_REFUSED,
          AUTHENTICATION_FAILED,
          RETRY_EXCEEDED,
          CONNECTION_LOST,
          PEER_TERMINATED,
          DEADLINE ->
          true;
      default -> false;
    };
  }
}
