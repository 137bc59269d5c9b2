package org.apache.spark.shuffle.rdma.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

final class CountersTest {

  @Test
  void everyReasonIsCountedByItselfAndInTheSum() {
    Counters counters = new Counters();
    for (FallbackReason reason : FallbackReason.values()) {
      counters.addTcpBlocks(reason, 2);
    }
    CounterSnapshot snapshot = counters.snapshot();
    assertEquals(2L * FallbackReason.values().length, snapshot.get(Counter.TCP_BLOCKS));
    assertEquals(2, snapshot.tcpBlocks(FallbackReason.POOL_DRY));
    assertEquals(2L, snapshot.asMap().get("tcp-blocks.pool-dry"));
  }

  @Test
  void latenciesAreRoundedUpToPowersOfTwo() {
    Counters counters = new Counters();
    LongStream.range(0, 99).forEach(i -> counters.recordLatency(3_000));
    counters.recordLatency(5_000_000);
    CounterSnapshot snapshot = counters.snapshot();
    assertEquals(4, snapshot.latencyMicros(0.5));
    assertEquals(4, snapshot.latencyMicros(0.99));
    assertEquals(8192, snapshot.latencyMicros(1));
    assertEquals(0, CounterSnapshot.zero().latencyMicros(0.5));
  }

  @Test
  void addsUpAndSubtracts() {
    Counters counters = new Counters();
    counters.add(Counter.READ_BLOCKS, 5);
    CounterSnapshot first = counters.snapshot();
    counters.add(Counter.READ_BLOCKS, 2);
    assertEquals(2, counters.snapshot().minus(first).get(Counter.READ_BLOCKS));
    assertEquals(12, counters.snapshot().plus(first).get(Counter.READ_BLOCKS));
    assertEquals("read-blocks=5", first.describe());
  }

  @Test
  void aReportOfAnotherVersionIsAnError() {
    assertThrows(IllegalArgumentException.class, () -> new CounterSnapshot(new long[3]));
  }
}
