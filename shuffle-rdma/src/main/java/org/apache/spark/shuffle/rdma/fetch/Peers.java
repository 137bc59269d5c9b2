package org.apache.spark.shuffle.rdma.fetch;

import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.apache.spark.shuffle.rdma.fabric.Connection;
import org.apache.spark.shuffle.rdma.fabric.Fabric;
import org.apache.spark.shuffle.rdma.fabric.FabricException;
import org.apache.spark.shuffle.rdma.metrics.Counter;
import org.apache.spark.shuffle.rdma.metrics.Counters;
import org.jspecify.annotations.Nullable;

/**
 * The connections to other executors, one each, made when first wanted; and the pauses of those
 * that failed. Any thread may call.
 */
final class Peers implements AutoCloseable {

  /** The longest pause, as a multiple of the first. */
  private static final int MAX_PAUSE_FACTOR = 60;

  private final Fabric fabric;
  private final Counters counters;
  private final long backoffNanos;
  private final LongSupplier nanoClock;
  private final RandomGenerator random;
  private final Map<String, Peer> peers = new ConcurrentHashMap<>();
  private volatile boolean closed;

  Peers(
      Fabric fabric,
      Counters counters,
      long backoffNanos,
      LongSupplier nanoClock,
      RandomGenerator random) {
    this.fabric = fabric;
    this.counters = counters;
    this.backoffNanos = backoffNanos;
    this.nanoClock = nanoClock;
    this.random = random;
  }

  /** Whether the peer failed a moment ago and isn't to be tried yet. */
  boolean inBackoff(String executorId) {
    Peer peer = peers.get(executorId);
    return peer != null && peer.inBackoff();
  }

  /** The peer's open connection, or one in the making; callers at the same time share it. */
  CompletableFuture<Connection> connection(String executorId, byte[] address) {
    return peer(executorId).connection(address);
  }

  /** A read list succeeded: the next failure's pause is the first one again. */
  void succeeded(String executorId, Connection on) {
    Peer peer = peers.get(executorId);
    if (peer != null) {
      peer.failures = 0;
      peer.lastSuccess = new Success(on, nanoClock.getAsLong());
    }
  }

  /**
   * When the last read list of the peer succeeded, if that was on this connection and later than
   * this time; else this time. What another connection does is no progress of lists on this one.
   */
  @SuppressWarnings("ReferenceEquality") // This very one is meant.
  long progressSince(String executorId, @Nullable Connection on, long nanos) {
    Peer peer = peers.get(executorId);
    Success last = peer == null ? null : peer.lastSuccess;
    return last != null && last.on == on && last.nanos - nanos > 0 ? last.nanos : nanos;
  }

  /** The peer failed: it gets a pause, and what connection it has is closed. */
  void failed(String executorId) {
    peer(executorId).failed();
  }

  /** Connections that are open now. */
  int open() {
    return (int) peers.values().stream().filter(Peer::isOpen).count();
  }

  /** Closes all connections; none is made any more. */
  @Override
  public void close() {
    closed = true;
    peers.values().forEach(Peer::close);
  }

  /** Whatever goes wrong in the fabric, even for want of a thread, ends the wait for it. */
  private CompletableFuture<Connection> connect(byte[] address) {
    try {
      return fabric.connect(address);
    } catch (Throwable t) {
      return CompletableFuture.failedFuture(t);
    }
  }

  private Peer peer(String executorId) {
    return peers.computeIfAbsent(executorId, id -> new Peer());
  }

  /** That a read list succeeded. */
  private record Success(Connection on, long nanos) {}

  private final class Peer {
    private @Nullable CompletableFuture<Connection> connection;
    private volatile int failures;
    private volatile @Nullable Success lastSuccess;
    private volatile long pauseEndsNanos;

    synchronized boolean isOpen() {
      return connection != null && connection.isDone() && usable(connection);
    }

    boolean inBackoff() {
      return failures > 0 && nanoClock.getAsLong() - pauseEndsNanos < 0;
    }

    CompletableFuture<Connection> connection(byte[] address) {
      CompletableFuture<Connection> mine;
      synchronized (this) {
        if (closed) {
          return CompletableFuture.failedFuture(
              new FabricException(FabricException.Kind.CLOSED, "the executor is stopping"));
        }
        if (connection != null && usable(connection)) {
          return connection;
        }
        mine = new CompletableFuture<>();
        connection = mine;
      }
      // Outside the lock: a fabric may complete at once and run what depends on it.
      var _ =
          connect(address)
              .whenComplete(
                  (made, failure) -> {
                    if (made == null) {
                      counters.increment(Counter.CONNECTIONS_FAILED);
                      // What this side lacks, such as its device, is no fault of the peer's.
                      if (FailureReasons.isPeerFailure(FailureReasons.of(failure))) {
                        failed();
                      }
                      mine.completeExceptionally(FailureReasons.unwrap(failure));
                    } else if (isCurrent(mine)) {
                      counters.increment(Counter.CONNECTIONS_OPENED);
                      mine.complete(made);
                    } else {
                      // The peer failed meanwhile; a connection that nobody owns would stay open.
                      made.close();
                      mine.completeExceptionally(
                          new FabricException(
                              FabricException.Kind.CONNECTION_LOST, "the peer failed meanwhile"));
                    }
                  });
      return mine;
    }

    @SuppressWarnings("ReferenceEquality") // This very one is meant.
    private synchronized boolean isCurrent(CompletableFuture<Connection> candidate) {
      return connection == candidate;
    }

    private static boolean usable(CompletableFuture<Connection> connection) {
      return !connection.isDone()
          || (!connection.isCompletedExceptionally() && connection.resultNow().isOpen());
    }

    void failed() {
      synchronized (this) {
        if (inBackoff()) {
          return;
        }
        failures = Math.min(failures + 1, 30);
        long factor = Math.min(1L << (failures - 1), MAX_PAUSE_FACTOR);
        // Between half and the whole pause, so that executors don't come back all at once.
        long pause = (long) (backoffNanos * factor * (0.5 + random.nextDouble() / 2));
        pauseEndsNanos = nanoClock.getAsLong() + pause;
      }
      close();
    }

    /** Closes the connection; one that is still in the making is closed when it's made. */
    void close() {
      CompletableFuture<Connection> ended;
      synchronized (this) {
        ended = connection;
        connection = null;
      }
      if (ended != null && ended.isDone() && !ended.isCompletedExceptionally()) {
        ended.resultNow().close();
      }
    }
  }
}
