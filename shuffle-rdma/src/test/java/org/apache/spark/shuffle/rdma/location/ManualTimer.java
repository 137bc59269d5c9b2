package org.apache.spark.shuffle.rdma.location;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Delayed;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A timer whose time moves only when a test says so, on the test's thread. */
public final class ManualTimer extends ScheduledThreadPoolExecutor {

  private final List<Task> tasks = new ArrayList<>();
  private long nowMillis;

  public ManualTimer() {
    super(0);
  }

  /** Its time, as System.nanoTime would give it. */
  public synchronized long nanoTime() {
    return TimeUnit.MILLISECONDS.toNanos(nowMillis);
  }

  @Override
  public synchronized ScheduledFuture<?> schedule(Runnable command, long delay, TimeUnit unit) {
    return add(command, unit.toMillis(delay), 0);
  }

  @Override
  public synchronized ScheduledFuture<?> scheduleWithFixedDelay(
      Runnable command, long initialDelay, long delay, TimeUnit unit) {
    return add(command, unit.toMillis(initialDelay), unit.toMillis(delay));
  }

  private Task add(Runnable command, long delayMillis, long periodMillis) {
    if (isShutdown()) {
      throw new RejectedExecutionException("shut down");
    }
    Task task = new Task(command, nowMillis + delayMillis, periodMillis);
    tasks.add(task);
    return task;
  }

  /** Runs what's due within this many milliseconds, in order, each at its time. */
  public void advance(long millis) {
    long end = nowMillis + millis;
    for (Task task = next(end); task != null; task = next(end)) {
      if (task.periodMillis > 0) {
        task.command.run();
      } else if (task.complete(null)) {
        task.command.run();
      }
    }
    synchronized (this) {
      nowMillis = end;
    }
  }

  private synchronized @Nullable Task next(long endMillis) {
    Task first = null;
    tasks.removeIf(Task::isDone);
    for (Task task : tasks) {
      if (task.dueMillis <= endMillis && (first == null || task.dueMillis < first.dueMillis)) {
        first = task;
      }
    }
    if (first != null) {
      nowMillis = Math.max(nowMillis, first.dueMillis);
      if (first.periodMillis > 0) {
        first.dueMillis = nowMillis + first.periodMillis;
      } else {
        tasks.remove(first);
      }
    }
    return first;
  }

  /** Tasks that are neither run nor cancelled. */
  synchronized int pending() {
    tasks.removeIf(Task::isDone);
    return tasks.size();
  }

  private static final class Task extends CompletableFuture<Object>
      implements ScheduledFuture<Object> {
    final Runnable command;
    final long periodMillis;
    long dueMillis;

    Task(Runnable command, long dueMillis, long periodMillis) {
      this.command = command;
      this.dueMillis = dueMillis;
      this.periodMillis = periodMillis;
    }

    @Override
    public long getDelay(TimeUnit unit) {
      return unit.convert(dueMillis, TimeUnit.MILLISECONDS);
    }

    @Override
    public int compareTo(Delayed other) {
      return Long.compare(getDelay(TimeUnit.MILLISECONDS), other.getDelay(TimeUnit.MILLISECONDS));
    }
  }
}
