package org.apache.spark.shuffle.rdma.fabric.verbs;

import java.util.Comparator;
import java.util.List;
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

  OpenConnections(int most) {
    this.most = most;
  }

  /**
   * Takes a place for a connection, which {@link #leave} gives back.
   *
   * @throws FabricException QUEUE_FULL if there's none in time
   * @throws InterruptedException if the fabric closes
   */
  void enter(long deadlineNanos) throws FabricException, InterruptedException {
    lock.lockInterruptibly();
    try {
      while (taken >= most) {
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
      lock.unlock();
    }
  }

  private void closeLeastRecentlyUsed() {
    List<VerbsConnection> oldestFirst =
        byId.values().stream()
            .filter(VerbsConnection::isOpen)
            .sorted(Comparator.comparingLong(c -> c.usedNanos() - System.nanoTime()))
            .toList();
    // One that ends already makes the room that is needed.
    if (oldestFirst.size() < byId.size()) {
      return;
    }
    for (VerbsConnection connection : oldestFirst) {
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

  /** Gives its place back. */
  void remove(VerbsConnection connection) {
    if (byId.remove(connection.id(), connection)) {
      leave();
    }
  }

  @Nullable VerbsConnection get(int id) {
    return byId.get(id);
  }

  boolean has(int id) {
    return byId.containsKey(id);
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
