package org.apache.spark.shuffle.rdma.fetch;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends what takes too long without getting on. It looks at all that waits now and then: a few
 * thousand lists at the most, and those that are done leave at the next look.
 */
final class Deadlines implements AutoCloseable {

  /** Looks per deadline: what's late is found at most a tenth of the deadline later. */
  private static final int LOOKS = 10;

  /** Something with a deadline. */
  interface Waiting {
    boolean isDone();

    /** When it last got on, on the engine's clock: its deadline runs from then. */
    long progressNanos();

    /** Called once at most, on the timer's thread; must not block. */
    void expire();
  }

  private static final Logger LOG = LoggerFactory.getLogger(Deadlines.class);

  private final Queue<Waiting> all = new ConcurrentLinkedQueue<>();
  private final long timeoutNanos;
  private final LongSupplier nanoClock;
  private final ScheduledFuture<?> looks;

  Deadlines(long timeoutMillis, LongSupplier nanoClock, ScheduledExecutorService timer) {
    this.timeoutNanos = TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
    this.nanoClock = nanoClock;
    long period = Math.max(timeoutMillis / LOOKS, 1);
    this.looks = timer.scheduleWithFixedDelay(this::look, period, period, TimeUnit.MILLISECONDS);
  }

  void add(Waiting waiting) {
    all.add(waiting);
  }

  private void look() {
    long now = nanoClock.getAsLong();
    all.removeIf(Waiting::isDone);
    for (Waiting waiting : all) {
      if (now - waiting.progressNanos() >= timeoutNanos) {
        expire(waiting);
      }
    }
  }

  /** One that throws must not keep the timer from looking at the others. */
  private static void expire(Waiting waiting) {
    try {
      waiting.expire();
    } catch (Throwable t) {
      LOG.error("A defect in ending what took too long", t);
    }
  }

  @Override
  public void close() {
    looks.cancel(false);
  }
}
