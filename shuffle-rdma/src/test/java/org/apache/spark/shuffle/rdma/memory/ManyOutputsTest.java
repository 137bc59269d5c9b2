package org.apache.spark.shuffle.rdma.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.apache.spark.shuffle.rdma.fabric.Fabric;
import org.apache.spark.shuffle.rdma.fabric.software.SoftwareFabric;
import org.apache.spark.shuffle.rdma.fabric.software.SoftwareOptions;
import org.apache.spark.shuffle.rdma.metrics.Counter;
import org.apache.spark.shuffle.rdma.metrics.Counters;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** 100,000 map outputs of one executor, of which Linux lets a process map 65,530. */
final class ManyOutputsTest {

  private static final int OUTPUTS = 100_000;
  private static final int SHUFFLES = 4;
  private static final int MAX_MAPPED = 30_000;

  @TempDir private Path directory;
  private final Counters counters = new Counters();
  private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
  private Fabric fabric;

  @BeforeEach
  void start() throws IOException {
    fabric =
        SoftwareFabric.start(new SoftwareOptions("127.0.0.1", true, false, 5000, null, "owner"));
  }

  @AfterEach
  void stop() {
    fabric.close();
    timer.shutdownNow();
  }

  @Test
  void smallOnesTakeNoMappings() throws Exception {
    long before = mappings();
    try (OutputRegistry registry = registry(20)) {
      long[] lengths = {100, 300, 0, 624};
      Path file = Files.write(directory.resolve("small"), new byte[1024]);
      for (int map = 0; map < OUTPUTS; map++) {
        assertNotNull(registry.register(map % SHUFFLES, map, file, lengths));
      }
      assertEquals(OUTPUTS, counters.get(Counter.OUTPUTS_COPIED));
      assertTrue(mappings() - before < 1000, mappings() + " mappings, before " + before);
      for (int shuffle = 0; shuffle < SHUFFLES; shuffle++) {
        registry.unregisterShuffle(shuffle);
      }
      while (counters.get(Counter.REGIONS_LIVE) > 0) {
        Thread.sleep(5);
      }
      // Index pages' slabs stay, 128 bytes for each output, and one slab for copies.
      assertTrue(counters.get(Counter.BUDGET_BYTES) <= 15 * RegionSlabs.SLAB_BYTES);
    }
    assertEquals(0, counters.get(Counter.BUDGET_BYTES));
    assertTrue(mappings() - before < 100, mappings() + " mappings, before " + before);
  }

  @Test
  void largeOnesStopAtTheLimitOfMappings() throws Exception {
    long before = mappings();
    int bytes = (int) OutputStore.COPY_BYTES + 1;
    // No shuffle is idle for so long that it would make room.
    try (OutputRegistry registry = registry(600_000)) {
      Path file = Files.write(directory.resolve("large"), new byte[bytes]);
      for (int map = 0; map < OUTPUTS; map++) {
        var _ = registry.register(map % SHUFFLES, map, file, new long[] {bytes});
      }
      assertEquals(MAX_MAPPED, counters.get(Counter.OUTPUTS_REGISTERED));
      assertEquals(OUTPUTS - MAX_MAPPED, counters.get(Counter.OUTPUTS_OVER_BUDGET));
      assertTrue(mappings() - before < MAX_MAPPED + 1000);
    }
    assertEquals(0, counters.get(Counter.MAPPED_BYTES));
    assertTrue(mappings() - before < 100, mappings() + " mappings, before " + before);
  }

  private OutputRegistry registry(long graceMillis) {
    return new OutputRegistry(
        fabric,
        new PinBudget(PinBudget.UNLIMITED, PinBudget.UNLIMITED, counters),
        LocalDirectories.probe(List.of(directory), fabric),
        counters,
        timer,
        new OutputRegistry.Limits(MAX_MAPPED, graceMillis),
        System::nanoTime,
        new OutputRegistry.Publisher() {
          @Override
          public void published(OutputLocation location) {}

          @Override
          public void absent(int shuffleId, Absence absence, long... mapIds) {}
        });
  }

  private static long mappings() throws IOException {
    try (var maps = Files.lines(Path.of("/proc/self/maps"))) {
      return maps.count();
    }
  }
}
