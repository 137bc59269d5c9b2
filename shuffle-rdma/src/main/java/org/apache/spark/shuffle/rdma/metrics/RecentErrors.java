package org.apache.spark.shuffle.rdma.metrics;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The latest errors of an executor that the driver hasn't been told yet. Any thread may call; an
 * error is rare, so a lock does.
 */
public final class RecentErrors {

  /** Most errors kept; older ones are dropped, and only the log has them. */
  public static final int MAX_ERRORS = 10;

  /** Longest detail, in characters. */
  public static final int MAX_DETAIL_CHARS = 200;

  private record Seen(
      String peer, FallbackReason reason, String detail, long times, long atNanos) {}

  private final Deque<Seen> pending = new ArrayDeque<>();

  /**
   * Notes an error. The same one again, of the same peer and reason, is counted with the last.
   *
   * @param peer the executor id that it's about, or empty
   * @param detail what was said; cut to {@link #MAX_DETAIL_CHARS}
   * @param nowNanos on the clock that {@link #drain} will have
   */
  public void add(String peer, FallbackReason reason, @Nullable String detail, long nowNanos) {
    String said = detail == null ? reason.meaning() : detail;
    String kept = said.substring(0, Math.min(said.length(), MAX_DETAIL_CHARS));
    synchronized (this) {
      Seen last = pending.peekLast();
      long times = 1;
      if (last != null && last.peer.equals(peer) && last.reason == reason) {
        pending.removeLast();
        times += last.times;
      } else if (pending.size() == MAX_ERRORS) {
        pending.removeFirst();
      }
      pending.addLast(new Seen(peer, reason, kept, times, nowNanos));
    }
  }

  /** Takes all errors out, oldest first, for a report. */
  public synchronized List<FetchError> drain(long nowNanos) {
    List<FetchError> errors = new ArrayList<>(pending.size());
    for (Seen seen : pending) {
      long age = TimeUnit.NANOSECONDS.toMillis(Math.max(0, nowNanos - seen.atNanos));
      errors.add(new FetchError(seen.peer, seen.reason, seen.detail, seen.times, age));
    }
    pending.clear();
    return errors;
  }
}
