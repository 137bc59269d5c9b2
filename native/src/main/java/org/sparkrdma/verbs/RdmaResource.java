package org.sparkrdma.verbs;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A handle on something that a native library holds. Closing is idempotent and may come from any
 * thread; it first closes what depends on this handle, the newest first, and waits for calls that
 * are inside. A call on a closed handle throws {@link RdmaClosedException}, never touches freed
 * memory.
 *
 * <p>Nothing is closed by the garbage collector. With {@code -Dorg.sparkrdma.verbs.track=true},
 * {@link #unclosed()} says what is open and who opened it.
 */
public abstract class RdmaResource implements AutoCloseable {
  private static final int CLOSED = 1 << 31;
  private static final long PAUSE_NANOS = 20_000;
  private static final boolean TRACK = Boolean.getBoolean("org.sparkrdma.verbs.track");
  private static final Set<RdmaResource> OPEN = ConcurrentHashMap.newKeySet();
  private static final AtomicLong NUMBERS = new AtomicLong();

  private final long number = NUMBERS.incrementAndGet();
  private final Set<RdmaResource> children = ConcurrentHashMap.newKeySet();
  private final List<RdmaResource> parents;
  private final ReentrantLock closing = new ReentrantLock();
  private final @Nullable Throwable opener =
      TRACK ? new Throwable("opened by " + Thread.currentThread().getName()) : null;

  /** Number of calls inside, and {@link #CLOSED} as the sign bit once closing began. */
  private final AtomicInteger users = new AtomicInteger();

  RdmaResource(RdmaResource... parents) {
    this.parents = List.of(parents);
  }

  /** Ends a constructor's work: from here on, parents close this and the tracker knows it. */
  final void opened() {
    for (RdmaResource parent : parents) {
      parent.children.add(this);
    }
    if (TRACK) {
      OPEN.add(this);
    }
  }

  /** Frees the native object. Called once, after the children's, with no other call inside. */
  abstract void free();

  /** Wakes threads that wait inside a call, so that closing need not wait for their deadlines. */
  void interruptWaiters() {}

  /** Enters a call; each must end with {@link #leave()}. */
  final void enter() {
    if (users.getAndIncrement() < 0) {
      users.getAndDecrement();
      throw new RdmaClosedException(toString());
    }
  }

  final void leave() {
    users.getAndDecrement();
  }

  /** Whether closing began. */
  public final boolean isClosed() {
    return users.get() < 0;
  }

  /**
   * Closes what depends on this handle, then the handle. A second call does nothing.
   *
   * @throws VerbException if the library refused; the handle counts as closed all the same
   */
  @Override
  public final void close() {
    closing.lock();
    try {
      if (users.getAndUpdate(n -> n | CLOSED) < 0) {
        return;
      }
      awaitUsers();
      RdmaException failure = closeChildren();
      try {
        free();
      } catch (RdmaException e) {
        failure = first(failure, e);
      }
      parents.forEach(parent -> parent.children.remove(this));
      OPEN.remove(this);
      if (failure != null) {
        throw failure;
      }
    } finally {
      closing.unlock();
    }
  }

  /** Waits without a limit of its own: no call stays inside for long once its waiters are woken. */
  private void awaitUsers() {
    for (int spins = 0; users.get() != CLOSED; spins++) {
      interruptWaiters();
      if (spins < 100) {
        Thread.onSpinWait();
      } else {
        LockSupport.parkNanos(PAUSE_NANOS);
      }
    }
  }

  private @Nullable RdmaException closeChildren() {
    List<RdmaResource> newestFirst = new ArrayList<>(children);
    newestFirst.sort((a, b) -> Long.compare(b.number, a.number));
    RdmaException failure = null;
    for (RdmaResource child : newestFirst) {
      try {
        child.close();
      } catch (RdmaException e) {
        failure = first(failure, e);
      }
    }
    return failure;
  }

  private static RdmaException first(@Nullable RdmaException failure, RdmaException next) {
    if (failure == null) {
      return next;
    }
    failure.addSuppressed(next);
    return failure;
  }

  /**
   * What is open in this process, each with the stack that opened it; empty unless tracking is on.
   */
  public static List<Throwable> unclosed() {
    List<Throwable> found = new ArrayList<>();
    OPEN.stream()
        .sorted(Comparator.comparingLong(resource -> resource.number))
        .forEach(r -> found.add(new Throwable(r + " was not closed", r.opener)));
    return found;
  }
}
