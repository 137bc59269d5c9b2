package org.sparkrdma.bench.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EngineBenchmarkTest {

  /** Blocks that fell back would throw, and missing ones too. */
  @ParameterizedTest
  @ValueSource(ints = {1, 64, 1000})
  void everyBlockOfATaskArrivesByRead(int blocks) throws Exception {
    EngineBenchmark benchmark = new EngineBenchmark();
    benchmark.blocks = blocks;
    benchmark.open();
    try {
      EngineBenchmark.Cpu cpu = new EngineBenchmark.Cpu();
      long bytes = benchmark.fetch(cpu);
      assertEquals(bytes, benchmark.fetch(cpu));
      assertEquals(bytes, benchmark.forced(cpu));
      assertEquals(3, cpu.operations);
      assertTrue(cpu.cpuNanos > 0);
    } finally {
      benchmark.close();
    }
  }

  @Test
  void theCasesOfSixtyFourBlocksHaveTheAims() {
    assertEquals(
        List.of("64.ns", "64.bytes"),
        EngineCases.all().stream()
            .filter(grown -> grown.compared().aim().isPresent())
            .map(grown -> grown.compared().label())
            .toList());
  }

  @Test
  void aTaskIsWholeRequests() {
    EngineCases.BLOCKS.forEach(blocks -> assertEquals(0, EngineBenchmark.BLOCKS % blocks));
  }
}
