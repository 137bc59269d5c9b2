package org.apache.spark.shuffle.rdma.fabric.verbs;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.spark.shuffle.rdma.fabric.Completions;
import org.apache.spark.shuffle.rdma.fabric.Connection;
import org.apache.spark.shuffle.rdma.fabric.FabricException;
import org.apache.spark.shuffle.rdma.fabric.FabricException.Kind;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sparkrdma.verbs.CompletionBuffer;
import org.sparkrdma.verbs.CompletionStatus;
import org.sparkrdma.verbs.PostException;
import org.sparkrdma.verbs.RdmaException;
import org.sparkrdma.verbs.WorkRequestList;

/**
 * Reads a peer through a queue pair. Lists wait in order; as many work requests as the send queue
 * holds are posted, linked, and only the last of a list (and of a post) completes visibly.
 *
 * <p>Work requests are numbered from 1. Since those of a queue pair complete in order, the one
 * number that a completion brings says how far everything is. After the first failure the queue
 * pair flushes what was posted; when the last number has come back, the device writes into no
 * destination any more, and all lists that are left complete. Should it never come back, as when
 * the device has gone, destroying the queue pair gives the same certainty.
 */
final class VerbsConnection implements Connection {

  private static final Logger LOG = LoggerFactory.getLogger(VerbsConnection.class);

  /** How long the flush may take, before the queue pair is destroyed all the same. */
  private static final long DRAIN_NANOS = TimeUnit.SECONDS.toNanos(5);

  /** For the peer's answer to the end of the connection. */
  private static final long GOODBYE_MILLIS = 1_000;

  /** Numbers take the lower bits of a work request's id, the connection's own id the rest. */
  private static final int NUMBER_BITS = 40;

  private static final long NUMBER_MASK = (1L << NUMBER_BITS) - 1;

  private final VerbsFabric fabric;
  private final VerbsAddress peer;
  private final org.sparkrdma.verbs.Connection link;
  private final Poller.Share share;
  private final ReadSplit split;
  private final long idBase;
  private final WorkRequestList requests;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Deque<ReadList> posted = new ArrayDeque<>();
  private final Deque<ReadList> waiting = new ArrayDeque<>();
  private long lastPosted;
  private long lastCompleted;
  private @Nullable FabricException cause;
  private volatile boolean open = true;
  private volatile long usedNanos = System.nanoTime();

  /**
   * Takes over the established link and the share of a completion queue.
   *
   * @param id unique in the fabric, 0 to 2^23 - 1
   */
  VerbsConnection(
      VerbsFabric fabric,
      VerbsAddress peer,
      org.sparkrdma.verbs.Connection link,
      Poller.Share share,
      ReadSplit split,
      int id) {
    this.fabric = fabric;
    this.peer = peer;
    this.link = link;
    this.share = share;
    this.split = split;
    this.idBase = (long) id << NUMBER_BITS;
    this.requests = new WorkRequestList(Poller.QUEUE_DEPTH);
  }

  /** The id of the connection that a work request belongs to. */
  static int connectionOf(long workRequestId) {
    return (int) (workRequestId >>> NUMBER_BITS);
  }

  int id() {
    return connectionOf(idBase);
  }

  /** From here on it learns when the peer goes. */
  void watch() {
    link.onDisconnected(
        () -> {
          if (link.isDeviceRemoved()) {
            fabric.deviceLost("it was removed");
          }
          breakOff(new FabricException(Kind.PEER_TERMINATED, peer + " ended the connection"));
        });
  }

  @Override
  public Way way() {
    return Way.VERBS;
  }

  @Override
  public boolean isOpen() {
    return open;
  }

  @Override
  public void read(List<Read> reads, Completion completion) {
    FabricException refused = fabric.check(reads);
    if (refused == null) {
      usedNanos = System.nanoTime();
      lock.lock();
      try {
        if (cause != null) {
          refused = behind(cause);
        } else if (posted.size() + waiting.size() >= MAX_OUTSTANDING_LISTS) {
          refused =
              new FabricException(
                  Kind.QUEUE_FULL, MAX_OUTSTANDING_LISTS + " lists are under way to " + peer);
        } else {
          waiting.add(new ReadList(reads, completion));
          post();
        }
      } finally {
        lock.unlock();
      }
    }
    if (refused != null) {
      Completions.run(completion, refused);
    }
  }

  /** Posts what fits. With the lock held. */
  private void post() {
    while (cause == null && !waiting.isEmpty() && room() > 0) {
      try {
        fill(room());
        link.queuePair().post(requests);
        lastPosted += requests.count();
      } catch (PostException e) {
        lastPosted += e.posted();
        breakOff(
            new FabricException(
                Kind.CONNECTION_LOST, "reads from " + peer + " can't be posted", e));
      } catch (RuntimeException e) {
        // Also a defect of ours: none of these is posted, and none may seem to be.
        breakOff(new FabricException(Kind.CONNECTION_LOST, "the queue pair is gone: " + e, e));
      }
    }
  }

  private void fill(int most) {
    requests.clear();
    while (requests.count() < most && !waiting.isEmpty()) {
      ReadList list = waiting.element();
      long number = lastPosted + requests.count() + 1;
      list.addNext(requests, idBase | number, requests.count() + 1 == most, split);
      if (list.isPosted()) {
        list.last = number;
        posted.add(waiting.remove());
      }
    }
  }

  private int room() {
    return (int) (Poller.QUEUE_DEPTH - (lastPosted - lastCompleted));
  }

  /** Takes in a completion of this connection; on the poller's thread alone. */
  void completed(CompletionBuffer completions, int index) {
    long number = completions.id(index) & NUMBER_MASK;
    List<ReadList> done = new ArrayList<>(1);
    List<ReadList> failed = List.of();
    FabricException why = null;
    lock.lock();
    try {
      lastCompleted = Math.max(lastCompleted, number);
      if (completions.isSuccess(index)) {
        while (!posted.isEmpty() && posted.element().last <= number) {
          done.add(posted.remove());
        }
        post();
      } else if (cause == null) {
        breakOff(failure(completions, index));
      }
      if (cause != null && lastCompleted >= lastPosted) {
        changed.signalAll();
        why = cause;
        failed = takeLeft();
      }
    } finally {
      lock.unlock();
    }
    usedNanos = System.nanoTime();
    done.forEach(list -> Completions.run(list.completion, null));
    fail(failed, why);
  }

  private FabricException failure(CompletionBuffer completions, int index) {
    CompletionStatus status = completions.status(index);
    Kind kind =
        switch (status) {
          case REMOTE_ACCESS_ERROR, REMOTE_INVALID_REQUEST, REMOTE_OPERATION_ERROR ->
              Kind.ACCESS_ERROR;
          case RETRY_EXCEEDED, RECEIVER_NOT_READY, RESPONSE_TIMEOUT -> Kind.RETRY_EXCEEDED;
          // The first one to be flushed: the queue pair broke although no read of it failed.
          case FLUSHED -> fabric.isDeviceLost() ? Kind.DEVICE_LOST : Kind.PEER_TERMINATED;
          default -> fabric.isDeviceLost() ? Kind.DEVICE_LOST : Kind.CONNECTION_LOST;
        };
    return new FabricException(
        kind, "a read from " + peer + " failed: " + status, completions.failure(index));
  }

  /** The lists that haven't ended, which now end. With the lock held. */
  private List<ReadList> takeLeft() {
    List<ReadList> left = new ArrayList<>(posted);
    left.addAll(waiting);
    posted.clear();
    waiting.clear();
    return left;
  }

  /** The first list gets the cause itself: it is the one that was being read. */
  private void fail(List<ReadList> lists, @Nullable FabricException why) {
    FabricException failure = why;
    for (ReadList list : lists) {
      Completions.run(list.completion, failure);
      failure = behind(Objects.requireNonNull(why));
    }
  }

  /** What lists end with that come after the cause. */
  private FabricException behind(FabricException first) {
    return switch (first.kind()) {
      case CLOSED, DEVICE_LOST -> first;
      default ->
          new FabricException(
              Kind.CONNECTION_LOST,
              "the connection to " + peer + " broke before this list: " + first.getMessage());
    };
  }

  /** Ends it for a reason; the first one counts. Any thread, and doesn't wait. */
  void breakOff(FabricException why) {
    lock.lock();
    try {
      if (cause != null) {
        return;
      }
      cause = why;
      open = false;
    } finally {
      lock.unlock();
    }
    fabric.inBackground(this::finish);
  }

  /** Ends it if nothing is under way and nothing was for this long; true if it did. */
  boolean closeIfIdle(long nanos) {
    lock.lock();
    try {
      boolean idle =
          cause == null
              && posted.isEmpty()
              && waiting.isEmpty()
              && System.nanoTime() - usedNanos >= nanos;
      if (idle) {
        // Not CLOSED: a list that comes a moment too late is worth another connection.
        breakOff(new FabricException(Kind.CONNECTION_LOST, "closed since it was idle"));
      }
      return idle;
    } finally {
      lock.unlock();
    }
  }

  /** When it was last used, on System.nanoTime's clock. */
  long usedNanos() {
    return usedNanos;
  }

  @Override
  public void close() {
    breakOff(
        new FabricException(
            Kind.CLOSED, "this side closed the connection to " + peer + " or its fabric"));
  }

  /** Flushes, waits for the end of it, and frees the queue pair. On a thread of its own. */
  private void finish() {
    try {
      // Breaks the queue pair and tells the peer.
      link.disconnect();
    } catch (RdmaException e) {
      LOG.debug("Disconnecting from {}", peer, e);
      breakQueuePair();
    }
    boolean flushed = awaitDrained();
    if (!flushed && !fabric.isDeviceLost()) {
      LOG.warn("The reads from {} aren't flushed: their queue pair is destroyed", peer);
    }
    awaitGoodbye();
    try {
      link.close();
    } catch (RdmaException e) {
      LOG.warn("Couldn't free the connection to {} in full", peer, e);
    }
    List<ReadList> left;
    FabricException why;
    lock.lock();
    try {
      left = takeLeft();
      why = cause;
    } finally {
      lock.unlock();
    }
    fail(left, why);
    share.giveBack();
    requests.close();
    fabric.ended(this);
  }

  /** Closing stops the transmission of a goodbye that got lost, and the peer would never know. */
  private void awaitGoodbye() {
    try {
      if (!fabric.isDeviceLost()) {
        link.awaitDisconnected(GOODBYE_MILLIS);
      }
    } catch (RdmaException e) {
      LOG.debug("{} doesn't answer the goodbye", peer, e);
    }
  }

  private void breakQueuePair() {
    try {
      link.queuePair().moveToError();
    } catch (RdmaException e) {
      LOG.debug("The queue pair to {} is gone", peer, e);
    }
  }

  private boolean awaitDrained() {
    // A device that has gone flushes nothing any more.
    long left = fabric.isDeviceLost() ? 0 : DRAIN_NANOS;
    boolean interrupted = false;
    lock.lock();
    try {
      while (lastCompleted < lastPosted && left > 0) {
        try {
          left = changed.awaitNanos(left);
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
      return lastCompleted >= lastPosted;
    } finally {
      lock.unlock();
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  @Override
  public String toString() {
    return "connection to " + peer;
  }
}
