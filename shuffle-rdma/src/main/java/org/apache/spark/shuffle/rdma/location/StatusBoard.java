package org.apache.spark.shuffle.rdma.location;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.apache.spark.shuffle.rdma.metrics.CounterSnapshot;
import org.apache.spark.shuffle.rdma.metrics.ExecutorStatus;
import org.apache.spark.shuffle.rdma.metrics.FetchError;
import org.apache.spark.shuffle.rdma.metrics.RecentErrors;
import org.apache.spark.shuffle.rdma.metrics.ShuffleReads;
import org.jspecify.annotations.Nullable;

/**
 * What executors told of themselves, and what they read of each shuffle. Not thread-safe: it's the
 * {@link Directory}'s, under its lock.
 */
final class StatusBoard {

  /** Most lost executors that are still shown. */
  static final int MAX_LOST = 100;

  private static final class Entry {
    final String fabric;
    final Deque<Overview.SeenError> errors = new ArrayDeque<>();
    @Nullable ExecutorStatus status;

    Entry(String fabric) {
      this.fabric = fabric;
    }
  }

  private final Map<String, Entry> live = new LinkedHashMap<>();
  private final Map<String, Entry> lost = new LinkedHashMap<>();
  private final Map<Integer, ShuffleReads> reads = new HashMap<>();

  void hello(String executorId, String fabric) {
    lost.remove(executorId);
    live.put(executorId, new Entry(fabric));
  }

  void lost(String executorId) {
    Entry entry = live.remove(executorId);
    if (entry != null) {
      lost.put(executorId, entry);
      if (lost.size() > MAX_LOST) {
        lost.remove(lost.keySet().iterator().next());
      }
    }
  }

  /**
   * Takes a report in.
   *
   * @param nowMillis since the epoch
   * @param isRegistered shuffles that aren't would never be forgotten
   */
  void report(
      String executorId, ExecutorStatus status, long nowMillis, Predicate<Integer> isRegistered) {
    Entry entry = live.get(executorId);
    if (entry == null) {
      return;
    }
    entry.status = status.with(List.of(), List.of());
    for (FetchError error : status.errors()) {
      if (entry.errors.size() == RecentErrors.MAX_ERRORS) {
        entry.errors.removeFirst();
      }
      entry.errors.addLast(
          new Overview.SeenError(nowMillis - Math.min(error.ageMillis(), nowMillis), error));
    }
    for (ShuffleReads more : status.shuffles()) {
      if (isRegistered.test(more.shuffleId())) {
        reads.merge(more.shuffleId(), more, ShuffleReads::plus);
      }
    }
  }

  void forget(int shuffleId) {
    reads.remove(shuffleId);
  }

  ShuffleReads reads(int shuffleId) {
    return reads.getOrDefault(shuffleId, ShuffleReads.none(shuffleId));
  }

  List<Overview.Executor> executors(Map<String, CounterSnapshot> counters) {
    List<Overview.Executor> all = new ArrayList<>(live.size() + lost.size());
    live.forEach((id, entry) -> all.add(view(id, true, entry, counters)));
    List<Overview.Executor> gone = new ArrayList<>(lost.size());
    lost.forEach((id, entry) -> gone.add(view(id, false, entry, counters)));
    all.addAll(gone.reversed());
    return all;
  }

  private static Overview.Executor view(
      String id, boolean isLive, Entry entry, Map<String, CounterSnapshot> counters) {
    return new Overview.Executor(
        id,
        isLive,
        entry.fabric,
        entry.status,
        counters.getOrDefault(id, CounterSnapshot.zero()),
        List.copyOf(entry.errors));
  }
}
