package org.apache.spark.shuffle.rdma.fabric.verbs;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.spark.shuffle.rdma.fabric.FabricException;
import org.jspecify.annotations.Nullable;

/**
 * The connections to peers, by id, and the limit of how many there are: where it's reached, the one
 * that was idle for longest has to go. Any thread may call.
 */
final class OpenConnections {

  private final ConcurrentMap<Integer, VerbsConnection> byId = new ConcurrentHashMap<>();
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final int most;

  /** Those in the making included. */
  private int taken;

  private int waiting;
  private boolean closed;

  OpenConnections(int most) {
    this.most = most;
  }

  /**
   * Takes a place for a connection, which {@link #leave} gives back.
   *
   * @throws FabricException QUEUE_FULL if there's none in time, CLOSED once closed
   * @throws InterruptedException if the thread is interrupted
   */
  void enter(long deadlineNanos) throws FabricException, InterruptedException {
    lock.lock();
    waiting++;
    try {
      while (taken >= most) {
        if (closed) {
          throw new FabricException(FabricException.Kind.CLOSED, "the verbs fabric is closed");
        }
        long left = deadlineNanos - System.nanoTime();
        if (left <= 0) {
          throw new FabricException(
              FabricException.Kind.QUEUE_FULL,
              most
                  + " connections are open and none is idle:"
                  + " see spark.shuffle.rdma.maxConnections");
        }
        closeLeastRecentlyUsed();
        // One that is busy now may be idle soon, and tells nobody.
        var _ = changed.awaitNanos(Math.min(left, 10_000_000));
      }
      taken++;
    } finally {
      waiting--;
      lock.unlock();
    }
  }

  private void closeLeastRecentlyUsed() {
    // Taken once: the times change while they are compared.
    Map<VerbsConnection, Long> idleNanos = new HashMap<>();
    long now = System.nanoTime();
    int ending = 0;
    for (VerbsConnection connection : byId.values()) {
      if (connection.isOpen()) {
        idleNanos.put(connection, now - connection.usedNanos());
      } else {
        ending++;
      }
    }
    // Those that end already make room for as many.
    if (ending >= waiting) {
      return;
    }
    List<VerbsConnection> idlestFirst =
        idleNanos.entrySet().stream()
            .sorted(Map.Entry.<VerbsConnection, Long>comparingByValue().reversed())
            .map(Map.Entry::getKey)
            .toList();
    for (VerbsConnection connection : idlestFirst) {
      if (connection.closeIfIdle(0)) {
        return;
      }
    }
  }

  void leave() {
    lock.lock();
    try {
      taken--;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  void add(VerbsConnection connection) {
    byId.put(connection.id(), connection);
  }

  /**
   * Gives its place back. Both at once under the lock: whoever waits for a place would else see
   * neither the connection that ends nor its place, and close another one.
   */
  void remove(VerbsConnection connection) {
    lock.lock();
    try {
      if (byId.remove(connection.id(), connection)) {
        leave();
      }
    } finally {
      lock.unlock();
    }
  }

  @Nullable VerbsConnection get(int id) {
    return byId.get(id);
  }

  /** Lets nobody wait for a place any more. */
  void close() {
    lock.lock();
    try {
      closed = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Ends all for a reason. */
  void breakOff(FabricException why) {
    byId.values().forEach(connection -> connection.breakOff(why));
  }

  void closeIdle(long idleNanos) {
    byId.values().forEach(connection -> connection.closeIfIdle(idleNanos));
  }

  int size() {
    return byId.size();
  }
}
