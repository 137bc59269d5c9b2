package org.apache.spark.shuffle.rdma.metrics;

import com.codahale.metrics.Gauge;
import com.codahale.metrics.MetricRegistry;
import java.util.function.Supplier;
import org.apache.spark.metrics.source.Source;

/**
 * The counters for Spark's metrics system, and through it for its sinks: a gauge of each label,
 * that of a reason {@code tcp-blocks.REASON}, and two of read lists' latency. Executors show their
 * own, the driver the sums.
 */
public final class CounterSource implements Source {

  /** Stands before each label. */
  public static final String NAME = "RdmaShuffle";

  private final MetricRegistry registry = new MetricRegistry();

  /**
   * @param counters gives the counters as they are; any thread may call it
   */
  public CounterSource(Supplier<CounterSnapshot> counters) {
    for (Counter counter : Counter.values()) {
      add(counter.label(), () -> counters.get().get(counter));
    }
    for (FallbackReason reason : FallbackReason.values()) {
      add(
          Counter.TCP_BLOCKS.label() + "." + reason.label(),
          () -> counters.get().tcpBlocks(reason));
    }
    add("read-micros-p50", () -> counters.get().latencyMicros(0.5));
    add("read-micros-p99", () -> counters.get().latencyMicros(0.99));
  }

  private void add(String name, Gauge<Long> gauge) {
    registry.register(name, gauge);
  }

  @Override
  public String sourceName() {
    return NAME;
  }

  @Override
  public MetricRegistry metricRegistry() {
    return registry;
  }
}
