package org.apache.spark.shuffle.rdma.fabric.verbs;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.spark.shuffle.rdma.fabric.FabricException;
import org.apache.spark.shuffle.rdma.fabric.FabricException.Kind;
import org.sparkrdma.verbs.ConnectException;
import org.sparkrdma.verbs.Connection;
import org.sparkrdma.verbs.ConnectionAttempt;
import org.sparkrdma.verbs.ConnectionManager;
import org.sparkrdma.verbs.ConnectionOptions;
import org.sparkrdma.verbs.ProtectionDomain;
import org.sparkrdma.verbs.QueuePairOptions;
import org.sparkrdma.verbs.RdmaClosedException;
import org.sparkrdma.verbs.RdmaException;
import org.sparkrdma.verbs.RdmaTimeoutException;

/** Makes connections to peers, and spreads them over the pollers. Any thread may call. */
final class Connector implements AutoCloseable {

  /** Ids of connections: as many bits as a work request's id leaves, without the sign. */
  private static final int ID_MASK = (1 << 23) - 1;

  /** Processors for which one more poller pays, and the most of them. */
  private static final int PROCESSORS_PER_POLLER = 16;

  private static final int MOST_POLLERS = 4;

  private final VerbsFabric fabric;
  private final VerbsOptions options;
  private final ConnectionManager manager;
  private final ProtectionDomain domain;
  private final Credentials credentials;
  private final ConnectionOptions connectionOptions;
  private final InetSocketAddress source;
  private final ReadSplit split;
  private final OpenConnections connections;
  private final AtomicInteger ids = new AtomicInteger();
  private final List<Poller> pollers = new ArrayList<>();

  Connector(
      VerbsFabric fabric,
      VerbsOptions options,
      ConnectionManager manager,
      ProtectionDomain domain,
      PortChoice choice,
      Credentials credentials,
      ConnectionOptions connectionOptions,
      OpenConnections connections) {
    this.fabric = fabric;
    this.options = options;
    this.manager = manager;
    this.domain = domain;
    this.credentials = credentials;
    this.connectionOptions = connectionOptions.withRemoteAccess(Rights.ofReader(choice.device()));
    // Of the fabric's own device, whatever the routing table prefers.
    this.source = new InetSocketAddress(choice.listener().address().getAddress(), 0);
    this.split = ReadSplit.of(choice.device(), choice.port());
    this.connections = connections;
    int processors = Runtime.getRuntime().availableProcessors();
    int count = Math.clamp(processors / PROCESSORS_PER_POLLER, 1, MOST_POLLERS);
    for (int i = 0; i < count; i++) {
      pollers.add(new Poller(fabric, choice.device(), i, options.owner()));
    }
  }

  /**
   * Connects; blocks.
   *
   * @throws FabricException if it can't, by the deadline at the latest
   * @throws InterruptedException if the thread is interrupted
   */
  VerbsConnection connect(VerbsAddress peer, long deadlineNanos)
      throws FabricException, InterruptedException {
    connections.enter(deadlineNanos);
    Poller.Share share = null;
    boolean done = false;
    try (ConnectionAttempt attempt =
        manager.resolve(
            peer.socketAddress(),
            Optional.of(source),
            options.trafficClass(),
            left(deadlineNanos))) {
      share = leastLoaded().reserve();
      attempt.createQueuePair(
          domain, QueuePairOptions.of(share.completions(), Poller.QUEUE_DEPTH, 1));
      Connection link = link(attempt, credentials.connectTo(peer), deadlineNanos);
      VerbsConnection connection = new VerbsConnection(fabric, peer, link, share, split, newId());
      connections.add(connection);
      done = true;
      connection.watch();
      return connection;
    } catch (RdmaException e) {
      throw failure(peer, e);
    } finally {
      if (!done) {
        if (share != null) {
          share.giveBack();
        }
        connections.leave();
      }
    }
  }

  /** Connects, and closes again if the peer isn't who it should be. */
  private Connection link(ConnectionAttempt attempt, Credentials.Connect proof, long deadlineNanos)
      throws FabricException {
    Connection link;
    try {
      link = attempt.connect(connectionOptions, proof.privateData(), left(deadlineNanos));
    } catch (ConnectException e) {
      if (e.reason() == ConnectException.Reason.REJECTED) {
        throw proof.refused(e.privateData());
      }
      throw e;
    }
    try {
      proof.check(link.privateData());
      return link;
    } catch (FabricException e) {
      try {
        link.close();
      } catch (RdmaException closing) {
        e.addSuppressed(closing);
      }
      throw e;
    }
  }

  private Poller leastLoaded() {
    return pollers.stream().min(Comparator.comparingInt(Poller::load)).orElseThrow();
  }

  private int newId() {
    int id;
    do {
      id = ids.incrementAndGet() & ID_MASK;
    } while (connections.get(id) != null);
    return id;
  }

  private static long left(long deadlineNanos) {
    return Math.max(1, TimeUnit.NANOSECONDS.toMillis(deadlineNanos - System.nanoTime()));
  }

  private FabricException failure(VerbsAddress peer, RdmaException failure) {
    Kind kind =
        switch (failure) {
          case RdmaClosedException e -> Kind.CLOSED;
          case RdmaTimeoutException e -> Kind.PEER_UNREACHABLE;
          case ConnectException e ->
              e.reason() == ConnectException.Reason.DEVICE_REMOVED
                  ? Kind.DEVICE_LOST
                  : Kind.PEER_UNREACHABLE;
          // Out of queue pairs, memory or the like.
          default -> fabric.isDeviceLost() ? Kind.DEVICE_LOST : Kind.QUEUE_FULL;
        };
    return new FabricException(
        kind, "can't connect to " + peer + ": " + failure.getMessage(), failure);
  }

  /** Stops the pollers; all connections have ended by now. */
  @Override
  public void close() {
    pollers.forEach(Poller::close);
  }
}
