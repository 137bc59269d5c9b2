package org.apache.spark.shuffle.rdma.fabric;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Why a fabric's operation failed, typed so that the fetch engine can decide what to do. */
public final class FabricException extends IOException {

  /** What went wrong, as far as the fabric can tell. */
  public enum Kind {
    /** The peer's address can't be understood. */
    BAD_ADDRESS,
    /** Nobody there: no route, no such process, no answer within the connect deadline. */
    PEER_UNREACHABLE,
    /** The peer's host answered that nobody listens, or the peer said no. */
    CONNECT_REFUSED,
    /** One side couldn't prove the application's secret. */
    AUTHENTICATION_FAILED,
    /** Wrong key, out of bounds, or not allowed: concerns the region, not the peer. */
    ACCESS_ERROR,
    /** The network gave up sending again. */
    RETRY_EXCEEDED,
    /** The connection broke, or this list was flushed behind another one's failure. */
    CONNECTION_LOST,
    /** The peer ended the connection without saying why. */
    PEER_TERMINATED,
    /** Too many lists are outstanding on the connection. */
    QUEUE_FULL,
    /** The local device is gone or its port is down. */
    DEVICE_LOST,
    /** Registration refused: limits of the system or the device. */
    REGISTRATION_REFUSED,
    /** This side closed the connection or the fabric. */
    CLOSED
  }

  private final Kind kind;

  public FabricException(Kind kind, String message) {
    this(kind, message, null);
  }

  public FabricException(Kind kind, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.kind = kind;
  }

  public Kind kind() {
    return kind;
  }
}
