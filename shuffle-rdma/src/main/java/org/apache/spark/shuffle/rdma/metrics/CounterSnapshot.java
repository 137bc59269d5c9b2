package org.apache.spark.shuffle.rdma.metrics;

import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The counters of one executor, or the sum over several, at one moment. Immutable. */
public final class CounterSnapshot {

  private final long[] values;

  /**
   * @param values {@link Counters#SLOTS} of them; not copied, so the caller gives them away
   */
  public CounterSnapshot(long[] values) {
    if (values.length != Counters.SLOTS) {
      throw new IllegalArgumentException(
          values.length + " counters, but this version has " + Counters.SLOTS);
    }
    this.values = values;
  }

  public static CounterSnapshot zero() {
    return new CounterSnapshot(new long[Counters.SLOTS]);
  }

  public long get(Counter counter) {
    return values[counter.ordinal()];
  }

  /** Blocks handed to Spark's TCP path for this reason. */
  public long tcpBlocks(FallbackReason reason) {
    return values[Counters.FIRST_REASON + reason.ordinal()];
  }

  /** A copy, {@link Counters#SLOTS} long, to send to the driver. */
  public long[] toArray() {
    return values.clone();
  }

  /** Of many, without a copy for each: the metrics system asks for it once for every gauge. */
  public static CounterSnapshot sum(Collection<CounterSnapshot> all) {
    long[] sum = new long[Counters.SLOTS];
    for (CounterSnapshot one : all) {
      for (int i = 0; i < sum.length; i++) {
        sum[i] += one.values[i];
      }
    }
    return new CounterSnapshot(sum);
  }

  public CounterSnapshot plus(CounterSnapshot other) {
    return combine(other, 1);
  }

  public CounterSnapshot minus(CounterSnapshot other) {
    return combine(other, -1);
  }

  private CounterSnapshot combine(CounterSnapshot other, int sign) {
    long[] sum = values.clone();
    for (int i = 0; i < sum.length; i++) {
      sum[i] += sign * other.values[i];
    }
    return new CounterSnapshot(sum);
  }

  /**
   * The latency below which this share of read lists stayed, in microseconds, rounded up to a power
   * of two; 0 if there were none.
   *
   * @param share above 0, at most 1
   */
  public long latencyMicros(double share) {
    long total = 0;
    for (int i = 0; i < Counters.LATENCY_BUCKETS; i++) {
      total += values[Counters.FIRST_LATENCY + i];
    }
    if (total == 0) {
      return 0;
    }
    long wanted = (long) Math.ceil(total * share);
    int bucket = 0;
    for (long seen = values[Counters.FIRST_LATENCY]; seen < wanted; ) {
      bucket++;
      seen += values[Counters.FIRST_LATENCY + bucket];
    }
    return 1L << bucket;
  }

  /** The latency histogram, a copy: bucket i has the read lists below 2^i microseconds. */
  public long[] latencies() {
    return Arrays.copyOfRange(values, Counters.FIRST_LATENCY, Counters.SLOTS);
  }

  /** Label to value, in catalogue order: every counter, then {@code tcp-blocks.REASON}. */
  public Map<String, Long> asMap() {
    Map<String, Long> map = new LinkedHashMap<>();
    for (Counter counter : Counter.values()) {
      map.put(counter.label(), get(counter));
    }
    for (FallbackReason reason : FallbackReason.values()) {
      map.put(Counter.TCP_BLOCKS.label() + "." + reason.label(), tcpBlocks(reason));
    }
    return map;
  }

  /** The summary line's body: what isn't 0, {@code label=value} each, and latencies. */
  public String describe() {
    StringBuilder line = new StringBuilder();
    asMap()
        .forEach(
            (label, value) -> {
              if (value != 0) {
                line.append(line.isEmpty() ? "" : " ").append(label).append('=').append(value);
              }
            });
    if (latencyMicros(1) != 0) {
      line.append(" read-micros-p50<=").append(latencyMicros(0.5));
      line.append(" read-micros-p99<=").append(latencyMicros(0.99));
    }
    return line.isEmpty() ? "nothing counted" : line.toString();
  }

  /** The same without what was a present amount: an executor that's gone has none of it. */
  public CounterSnapshot withoutGauges() {
    long[] kept = values.clone();
    for (Counter counter : Counter.values()) {
      if (counter.unit() == Counter.Unit.GAUGE) {
        kept[counter.ordinal()] = 0;
      }
    }
    return new CounterSnapshot(kept);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof CounterSnapshot snapshot && Arrays.equals(values, snapshot.values);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(values);
  }

  @Override
  public String toString() {
    return describe();
  }
}
