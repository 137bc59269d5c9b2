package org.apache.spark.shuffle.rdma.fabric.verbs;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import org.apache.spark.shuffle.rdma.fabric.verbs.Credentials.Refusal;
import org.apache.spark.shuffle.rdma.fabric.verbs.Credentials.RefusedException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sparkrdma.verbs.CompletionQueue;
import org.sparkrdma.verbs.Connection;
import org.sparkrdma.verbs.ConnectionOptions;
import org.sparkrdma.verbs.ConnectionRequest;
import org.sparkrdma.verbs.Listener;
import org.sparkrdma.verbs.ProtectionDomain;
import org.sparkrdma.verbs.QueuePairOptions;
import org.sparkrdma.verbs.RdmaClosedException;
import org.sparkrdma.verbs.RdmaException;
import org.sparkrdma.verbs.RdmaTimeoutException;

/**
 * Lets peers in that prove themselves, and closes their connections when they go. The device serves
 * their reads; nothing runs here for one.
 */
final class Acceptor implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(Acceptor.class);

  /** Peers that are let in at the same time. */
  private static final int THREADS = 8;

  /** Peers that may wait for that; more are sent away. */
  private static final int WAITING = 1_024;

  private static final long WAIT_MILLIS = 60_000;

  /** Peers post nothing here and are sent nothing, so nothing ever completes. */
  private static final int COMPLETIONS = 1;

  private final VerbsFabric fabric;
  private final Listener listener;
  private final ProtectionDomain domain;
  private final CompletionQueue completions;
  private final Credentials credentials;
  private final VerbsOptions options;
  private final ConnectionOptions connectionOptions;
  private final Set<Connection> accepted = ConcurrentHashMap.newKeySet();
  private final ExecutorService workers;
  private final Thread thread;

  Acceptor(
      VerbsFabric fabric,
      Listener listener,
      ProtectionDomain domain,
      Credentials credentials,
      VerbsOptions options,
      ConnectionOptions connectionOptions) {
    this.fabric = fabric;
    this.listener = listener;
    this.domain = domain;
    this.completions = domain.device().createCompletionQueue(COMPLETIONS);
    this.credentials = credentials;
    this.options = options;
    this.connectionOptions = connectionOptions;
    this.workers = Threads.few(THREADS, WAITING, "rdma-verbs-accept-" + options.owner());
    this.thread =
        Thread.ofPlatform().daemon().name("rdma-verbs-listen-" + options.owner()).start(this::run);
  }

  private void run() {
    while (true) {
      try {
        ConnectionRequest request = listener.accept(WAIT_MILLIS);
        hand(request);
      } catch (RdmaTimeoutException e) {
        LOG.trace("Nobody wants to connect", e);
      } catch (RdmaClosedException e) {
        return;
      } catch (RdmaException e) {
        LOG.warn("A connect request was lost", e);
      }
    }
  }

  private void hand(ConnectionRequest request) {
    try {
      workers.execute(() -> take(request));
    } catch (RejectedExecutionException e) {
      request.close();
    }
  }

  private void take(ConnectionRequest request) {
    try {
      byte[] answer = credentials.answer(request.privateData());
      if (accepted.size() >= options.maxAccepted()) {
        throw new RefusedException(Refusal.TOO_MANY_CONNECTIONS, "a peer");
      }
      letIn(request, answer);
    } catch (RefusedException e) {
      LOG.warn("From {}: {}", request.peerAddress(), e.getMessage());
      reject(request, e.privateData());
    } catch (RdmaException e) {
      LOG.warn("Couldn't accept a connection", e);
    } finally {
      // Not by try-with-resources, which would close before the refusal is told.
      request.close();
    }
  }

  private void letIn(ConnectionRequest request, byte[] answer) throws RefusedException {
    try {
      request.createQueuePair(domain, QueuePairOptions.of(completions, 1, 1));
    } catch (RdmaException e) {
      LOG.warn("No queue pair for another peer, {} have one", accepted.size(), e);
      throw new RefusedException(Refusal.NO_RESOURCES, "a peer");
    }
    Connection connection =
        request.accept(connectionOptions, answer, options.connectTimeoutMillis());
    accepted.add(connection);
    connection.onDisconnected(() -> fabric.inBackground(() -> end(connection)));
    if (workers.isShutdown()) {
      end(connection);
    }
  }

  private static void reject(ConnectionRequest request, byte[] why) {
    try {
      request.reject(why);
    } catch (RdmaException e) {
      LOG.debug("The refused peer has gone", e);
    }
  }

  private void end(Connection connection) {
    if (accepted.remove(connection)) {
      try {
        connection.close();
      } catch (RdmaException e) {
        LOG.warn("Couldn't free a peer's connection in full", e);
      }
    }
  }

  /** Lets nobody in any more, and ends the connections of peers in the background. */
  @Override
  public void close() {
    listener.close();
    Threads.join(thread);
    if (!Threads.end(workers, options.connectTimeoutMillis())) {
      LOG.warn("Letting a peer in takes longer than its deadline");
    }
    accepted.forEach(connection -> fabric.inBackground(() -> end(connection)));
  }
}
