package org.apache.spark.shuffle.rdma.fabric.software;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Counts who is inside of something that will end. Closing lets nobody in any more; who closes then
 * waits until the last one has left. Lock-free to enter and leave; any thread.
 */
final class Gate {

  /** The sign bit; the other bits count who is inside. */
  private static final int CLOSED = Integer.MIN_VALUE;

  private final AtomicInteger state = new AtomicInteger();
  private final CountDownLatch empty = new CountDownLatch(1);

  /** Returns false once closed; after true, the caller must {@link #leave()}. */
  boolean enter() {
    while (true) {
      int now = state.get();
      if (now < 0) {
        return false;
      }
      if (state.compareAndSet(now, now + 1)) {
        return true;
      }
    }
  }

  void leave() {
    if (state.decrementAndGet() == CLOSED) {
      empty.countDown();
    }
  }

  /** Doesn't wait. Idempotent. */
  void close() {
    int before = state.getAndUpdate(now -> now | CLOSED);
    if ((before & ~CLOSED) == 0) {
      empty.countDown();
    }
  }

  boolean isClosed() {
    return state.get() < 0;
  }

  /**
   * Waits, after {@link #close()}, until nobody is inside. An interrupt doesn't cut it short, since
   * the caller is about to free what those inside use; the interrupt flag stays set.
   *
   * @return false if somebody was still inside after that time
   */
  boolean awaitEmpty(long timeoutMillis) {
    long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return empty.await(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
