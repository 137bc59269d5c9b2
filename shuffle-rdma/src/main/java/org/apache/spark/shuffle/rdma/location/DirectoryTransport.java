package org.apache.spark.shuffle.rdma.location;

import java.util.concurrent.CompletableFuture;

/**
 * How an executor's messages reach the driver's directory. Any thread may call, none is blocked.
 */
public interface DirectoryTransport {

  /**
   * Hands a message over, to arrive after all those handed over before it, unless the connection
   * breaks. Never throws.
   *
   * @return false if it couldn't even be handed over
   */
  boolean send(byte[] message);

  /**
   * Asks for an answer. Never throws; the future ends within the deadline, normally with the
   * reply's bytes (shared, not to be changed), else with what went wrong. Dependents run on the
   * transport's threads, or on the caller's if it's complete already.
   *
   * @param timeoutMillis 1 or more
   */
  CompletableFuture<byte[]> ask(byte[] message, long timeoutMillis);
}
