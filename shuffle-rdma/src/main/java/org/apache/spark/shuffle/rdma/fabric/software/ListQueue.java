package org.apache.spark.shuffle.rdma.fabric.software;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.spark.shuffle.rdma.fabric.Completions;
import org.apache.spark.shuffle.rdma.fabric.Connection;
import org.apache.spark.shuffle.rdma.fabric.FabricException;
import org.apache.spark.shuffle.rdma.fabric.FabricException.Kind;
import org.jspecify.annotations.Nullable;

/**
 * The outstanding lists of a TCP connection, in order: first those that were sent, then those that
 * weren't yet. Bounded. Each list leaves it once: as finished, or drained when the connection
 * ended.
 */
final class ListQueue {

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final ArrayDeque<PendingList> sent = new ArrayDeque<>();
  private final ArrayDeque<PendingList> unsent = new ArrayDeque<>();
  private @Nullable FabricException end;

  /**
   * Any thread; never waits for the network.
   *
   * @return null when it was taken, else why not
   */
  @Nullable FabricException offer(PendingList list) {
    lock.lock();
    try {
      if (end != null) {
        return end.kind() == Kind.CLOSED ? end : flushed(end);
      }
      if (sent.size() + unsent.size() >= Connection.MAX_OUTSTANDING_LISTS) {
        return new FabricException(
            Kind.QUEUE_FULL,
            Connection.MAX_OUTSTANDING_LISTS + " lists are outstanding on the connection already");
      }
      unsent.add(list);
      changed.signal();
      return null;
    } finally {
      lock.unlock();
    }
  }

  /** Writer thread: the next list to send, counted as sent from now on; null at the end. */
  @Nullable PendingList take() {
    lock.lock();
    try {
      while (unsent.isEmpty() && end == null) {
        changed.awaitUninterruptibly();
      }
      if (end != null) {
        return null;
      }
      PendingList list = unsent.remove();
      sent.add(list);
      return list;
    } finally {
      lock.unlock();
    }
  }

  /** Writer thread: whether nothing waits to be sent, so that it's time to flush. */
  boolean idle() {
    lock.lock();
    try {
      return unsent.isEmpty();
    } finally {
      lock.unlock();
    }
  }

  /** Reader thread: the list that the next answer is about; null if none was asked for. */
  @Nullable PendingList head() {
    lock.lock();
    try {
      return sent.peek();
    } finally {
      lock.unlock();
    }
  }

  /** Reader thread: the head is finished. */
  void removeHead() {
    lock.lock();
    try {
      sent.remove();
    } finally {
      lock.unlock();
    }
  }

  /** Takes no lists any more. The first cause stays. */
  void end(FabricException cause) {
    lock.lock();
    try {
      if (end == null) {
        end = cause;
      }
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Ends it if no list is outstanding; true if it did. */
  boolean endIfEmpty(FabricException cause) {
    lock.lock();
    try {
      boolean empty = end == null && sent.isEmpty() && unsent.isEmpty();
      if (empty) {
        end(cause);
      }
      return empty;
    } finally {
      lock.unlock();
    }
  }

  boolean hasEnded() {
    lock.lock();
    try {
      return end != null;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Reader thread, once it has stopped writing into destinations: completes what is left. The first
   * list gets the cause itself, unless that is this side's close, which is everybody's.
   */
  void drain() {
    List<PendingList> left;
    FabricException cause;
    lock.lock();
    try {
      cause = end != null ? end : new FabricException(Kind.CONNECTION_LOST, "the reader ended");
      end = cause;
      left = new ArrayList<>(sent);
      left.addAll(unsent);
      sent.clear();
      unsent.clear();
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    FabricException next = cause;
    for (PendingList list : left) {
      Completions.run(list.completion(), next);
      next = cause.kind() == Kind.CLOSED ? cause : flushed(cause);
    }
  }

  private static FabricException flushed(FabricException cause) {
    return new FabricException(
        Kind.CONNECTION_LOST, "the connection broke before this list: " + cause.getMessage());
  }
}
