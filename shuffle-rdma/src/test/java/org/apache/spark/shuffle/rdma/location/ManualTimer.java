package org.apache.spark.shuffle.rdma.location;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Delayed;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** A timer whose time moves only when a test says so, on the test's thread. */
final class ManualTimer extends ScheduledThreadPoolExecutor {

  private final List<Task> tasks = new ArrayList<>();
  private long nowMillis;

  ManualTimer() {
    super(0);
  }

  @Override
  public synchronized ScheduledFuture<?> schedule(Runnable command, long delay, TimeUnit unit) {
    if (isShutdown()) {
      throw new java.util.concurrent.RejectedExecutionException("shut down");
    }
    Task task = new Task(command, nowMillis + unit.toMillis(delay));
    tasks.add(task);
    return task;
  }

  /** Runs what's due within this many milliseconds, in order. */
  void advance(long millis) {
    List<Task> due = new ArrayList<>();
    synchronized (this) {
      nowMillis += millis;
      tasks.removeIf(Task::isDone);
      tasks.stream().filter(task -> task.dueMillis <= nowMillis).forEach(due::add);
      tasks.removeAll(due);
    }
    due.sort(Comparator.comparingLong(task -> task.dueMillis));
    for (Task task : due) {
      if (task.complete(null)) {
        task.command.run();
      }
    }
  }

  /** Tasks that are neither run nor cancelled. */
  synchronized int pending() {
    tasks.removeIf(Task::isDone);
    return tasks.size();
  }

  private static final class Task extends CompletableFuture<Object>
      implements ScheduledFuture<Object> {
    final Runnable command;
    final long dueMillis;

    Task(Runnable command, long dueMillis) {
      this.command = command;
      this.dueMillis = dueMillis;
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
