package org.apache.spark.shuffle.rdma.metrics;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;

/**
 * One executor's counters: a slot for each {@link Counter}, one for blocks by TCP for each {@link
 * FallbackReason}, and the latency histogram's buckets. Beside them are the latest errors and what
 * came of each shuffle. Any thread may add and read.
 */
public final class Counters {

  /** Buckets of the latency histogram: bucket i counts latencies below 2^i microseconds. */
  static final int LATENCY_BUCKETS = 32;

  private static final Counter[] COUNTERS = Counter.values();
  private static final FallbackReason[] REASONS = FallbackReason.values();
  static final int FIRST_REASON = COUNTERS.length;
  static final int FIRST_LATENCY = FIRST_REASON + REASONS.length;

  /** Length of a snapshot's array. Both sides of a report must agree on it. */
  public static final int SLOTS = FIRST_LATENCY + LATENCY_BUCKETS;

  private final LongAdder[] slots = new LongAdder[SLOTS];

  /** What {@link #set} set, beside what was added. */
  private final AtomicLongArray owned = new AtomicLongArray(SLOTS);

  private final RecentErrors errors = new RecentErrors();
  private final ReadsByShuffle shuffles = new ReadsByShuffle();

  public Counters() {
    Arrays.setAll(slots, i -> new LongAdder());
  }

  /** Errors that the driver hasn't been told yet. */
  public RecentErrors errors() {
    return errors;
  }

  /** What came of each shuffle that the driver hasn't been told yet. */
  public ReadsByShuffle shuffles() {
    return shuffles;
  }

  public void add(Counter counter, long amount) {
    slots[counter.ordinal()].add(amount);
  }

  /**
   * Sets what a counter's one owner has counted so far, which comes on top of what others add. It
   * costs less than {@link #add}; the caller holds a lock under which alone this counter is set.
   */
  public void set(Counter counter, long value) {
    owned.setRelease(counter.ordinal(), value);
  }

  public void increment(Counter counter) {
    add(counter, 1);
  }

  /** Counts blocks handed to Spark's TCP path, by reason and in {@link Counter#TCP_BLOCKS}. */
  public void addTcpBlocks(FallbackReason reason, long blocks) {
    slots[FIRST_REASON + reason.ordinal()].add(blocks);
    add(Counter.TCP_BLOCKS, blocks);
  }

  /** Records one read list's latency, in nanoseconds. */
  public void recordLatency(long nanos) {
    long micros = Math.max(nanos, 0) / 1000;
    int bucket = Math.min(64 - Long.numberOfLeadingZeros(micros), LATENCY_BUCKETS - 1);
    slots[FIRST_LATENCY + bucket].increment();
    add(Counter.READ_NANOS, nanos);
  }

  public long get(Counter counter) {
    return sum(counter.ordinal());
  }

  private long sum(int slot) {
    return slots[slot].sum() + owned.get(slot);
  }

  public CounterSnapshot snapshot() {
    long[] values = new long[SLOTS];
    Arrays.setAll(values, this::sum);
    return new CounterSnapshot(values);
  }
}
