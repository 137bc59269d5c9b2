package org.apache.spark.shuffle.rdma.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

final class CounterSourceTest {

  @Test
  void hasAGaugeForEveryCounterAndReason() {
    Counters counters = new Counters();
    CounterSource source = new CounterSource(counters::snapshot);
    counters.add(Counter.READ_BLOCKS, 7);
    counters.addTcpBlocks(FallbackReason.POOL_DRY, 3);
    counters.recordLatency(5_000);
    Map<String, Long> expected = new TreeMap<>(counters.snapshot().asMap());
    expected.put("read-micros-p50", 8L);
    expected.put("read-micros-p99", 8L);
    Map<String, Object> gauges = new TreeMap<>();
    source
        .metricRegistry()
        .getGauges()
        .forEach((name, gauge) -> gauges.put(name, gauge.getValue()));
    assertEquals(expected, gauges);
    assertEquals(7L, gauges.get("read-blocks"));
    assertEquals(3L, gauges.get("tcp-blocks.pool-dry"));
  }
}
