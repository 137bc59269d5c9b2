package org.sparkrdma.verbs;

import java.util.List;

/**
 * Something that happened to a device, not in answer to a call.
 *
 * @param type what happened
 * @param port the port it happened to, for port events; else 0
 * @param queuePair the number of the queue pair it happened to, for queue pair events; else 0
 */
public record AsyncEvent(Type type, int port, int queuePair) {

  /** {@code ibv_event_type}, in its order. */
  public enum Type {
    COMPLETION_QUEUE_ERROR,
    QUEUE_PAIR_FATAL,
    QUEUE_PAIR_REQUEST_ERROR,
    /** A peer tried what this queue pair does not allow. */
    QUEUE_PAIR_ACCESS_ERROR,
    COMMUNICATION_ESTABLISHED,
    SEND_QUEUE_DRAINED,
    PATH_MIGRATED,
    PATH_MIGRATION_ERROR,
    /** The device is gone or broken: close all on it. */
    DEVICE_FATAL,
    PORT_ACTIVE,
    /** The port went down. */
    PORT_ERROR,
    LID_CHANGE,
    PKEY_CHANGE,
    SUBNET_MANAGER_CHANGE,
    SHARED_RECEIVE_QUEUE_ERROR,
    SHARED_RECEIVE_QUEUE_LIMIT,
    LAST_REQUEST_REACHED,
    CLIENT_REREGISTER,
    /** Addresses of the port changed. */
    GID_CHANGE,
    WORK_QUEUE_FATAL,
    UNKNOWN;

    private static final List<Type> VALUES = List.of(values());

    static Type of(int code) {
      return code >= 0 && code < VALUES.size() - 1 ? VALUES.get(code) : UNKNOWN;
    }

    boolean isOfQueuePair() {
      return switch (this) {
        case QUEUE_PAIR_FATAL,
            QUEUE_PAIR_REQUEST_ERROR,
            QUEUE_PAIR_ACCESS_ERROR,
            COMMUNICATION_ESTABLISHED,
            SEND_QUEUE_DRAINED,
            PATH_MIGRATED,
            PATH_MIGRATION_ERROR,
            LAST_REQUEST_REACHED ->
            true;
        default -> false;
      };
    }

    boolean isOfPort() {
      return switch (this) {
        case PORT_ACTIVE,
            PORT_ERROR,
            LID_CHANGE,
            PKEY_CHANGE,
            SUBNET_MANAGER_CHANGE,
            CLIENT_REREGISTER,
            GID_CHANGE ->
            true;
        default -> false;
      };
    }
  }
}
