package org.apache.spark.shuffle.rdma.memory;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
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

final class OutputRegistryTest {

  private static final long GRACE_MILLIS = 20;

  @TempDir private Path directory;
  private final Counters counters = new Counters();
  private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
  private final List<String> retired = new ArrayList<>();
  private Fabric fabric;
  private OutputRegistry registry;

  @BeforeEach
  void start() throws IOException {
    fabric =
        SoftwareFabric.start(new SoftwareOptions("127.0.0.1", true, false, 5000, null, "owner"));
    registry = newRegistry(1000);
  }

  @AfterEach
  void everythingIsReleased() {
    registry.close();
    assertEquals(0, counters.get(Counter.REGIONS_LIVE));
    assertEquals(0, counters.get(Counter.MAPPED_BYTES));
    assertEquals(counters.get(Counter.OUTPUTS_REGISTERED), counters.get(Counter.OUTPUTS_RELEASED));
    fabric.close();
    timer.shutdownNow();
  }

  @Test
  void theFilesSizeAndBytesNeverChange() throws Exception {
    Path file = output(1, 4096, 0, 333);
    byte[] before = Files.readAllBytes(file);
    OutputLocation location = registry.register(3, 7, file, new long[] {4096, 0, 333});
    assertNotNull(location);
    assertEquals(4429, location.dataLength());
    assertEquals(3, location.partitions());
    assertTrue(isMapped(file));
    registry.unregisterShuffle(3);
    awaitReleased();
    assertFalse(isMapped(file));
    assertArrayEquals(before, Files.readAllBytes(file));
  }

  @Test
  void aFileOfAnotherLengthIsRefusedAndNotExtended() throws Exception {
    Path file = output(1, 100);
    assertThrows(IOException.class, () -> registry.register(3, 7, file, new long[] {101}));
    assertThrows(IOException.class, () -> registry.register(3, 7, file, new long[] {99}));
    assertThrows(
        IOException.class,
        () -> registry.register(3, 7, directory.resolve("none"), new long[] {1}));
    assertEquals(100, Files.size(file));
    assertEquals(3, counters.get(Counter.OUTPUTS_REFUSED));
  }

  @Test
  void anEmptyOutputNeedsNoRegion() throws Exception {
    assertNull(registry.register(3, 7, directory.resolve("none"), new long[] {0, 0}));
    assertEquals(1, counters.get(Counter.OUTPUTS_EMPTY));
  }

  @Test
  void aSecondOutputOfTheSameMapIsRefused() throws Exception {
    assertNotNull(registry.register(3, 7, output(1, 10), new long[] {10}));
    assertNull(registry.register(3, 7, output(2, 10), new long[] {10}));
    assertEquals(1, counters.get(Counter.REGIONS_LIVE));
  }

  @Test
  void outputsBeyondTheLimitAreRefusedUntilOthersAreReleased() throws Exception {
    registry.close();
    registry = newRegistry(2);
    assertNotNull(registry.register(1, 1, output(1, 10), new long[] {10}));
    assertNotNull(registry.register(2, 2, output(2, 10), new long[] {10}));
    assertNull(registry.register(2, 3, output(3, 10), new long[] {10}));
    registry.unregisterShuffle(1);
    awaitReleased();
    assertNotNull(registry.register(2, 3, output(3, 10), new long[] {10}));
  }

  @Test
  void aRetiredOutputKeepsItsPlaceForAsLongAsItsMapping() throws Exception {
    registry.close();
    registry = newRegistry(2);
    registry.register(1, 1, output(1, 10), new long[] {10});
    registry.register(1, 2, output(2, 10), new long[] {10});
    registry.retire(1, List.of(1L));
    awaitReleased();
    assertTrue(isMapped(directory.resolve("output-1")), "its group has another output");
    assertNull(registry.register(1, 3, output(3, 10), new long[] {10}));
  }

  @Test
  void aLateOutputOfAnEndedShuffleIsRefused() throws Exception {
    registry.unregisterShuffle(5);
    assertNull(registry.register(5, 1, output(1, 10), new long[] {10}));
    assertEquals(0, counters.get(Counter.REGIONS_LIVE));
  }

  @Test
  void retiringTellsAndReleasesAfterTheGraceAlone() throws Exception {
    registry.register(1, 1, output(1, 10), new long[] {10});
    registry.register(1, 2, output(2, 10), new long[] {10});
    registry.retire(1, List.of(2L, 99L));
    assertEquals(List.of("1: [2]"), retired);
    assertEquals(1, counters.get(Counter.OUTPUTS_RETIRED));
    awaitReleased();
    assertEquals(1, counters.get(Counter.REGIONS_LIVE));
    registry.retire(1, List.of(2L));
    assertEquals(1, counters.get(Counter.OUTPUTS_RETIRED));
  }

  @Test
  void manyOutputsShareFewArenasAndAllAreUnmapped() throws Exception {
    int outputs = 3 * MappingGroup.MAX_OUTPUTS + 5;
    for (int map = 0; map < outputs; map++) {
      assertNotNull(registry.register(1, map, output(map, 100 + map), new long[] {100 + map}));
    }
    assertEquals(outputs, counters.get(Counter.REGIONS_LIVE));
    assertTrue(isMapped(directory.resolve("output-0")));
    registry.unregisterShuffle(1);
    while (counters.get(Counter.REGIONS_LIVE) > 0) {
      Thread.sleep(5);
    }
    for (int map = 0; map < outputs; map++) {
      assertFalse(isMapped(directory.resolve("output-" + map)), "map " + map);
    }
  }

  private OutputRegistry newRegistry(int maxOutputs) {
    return new OutputRegistry(
        fabric,
        counters,
        timer,
        maxOutputs,
        GRACE_MILLIS,
        (shuffleId, mapIds) -> retired.add(shuffleId + ": " + Arrays.toString(mapIds)));
  }

  private void awaitReleased() throws InterruptedException {
    while (counters.get(Counter.OUTPUTS_RELEASED) < 1) {
      Thread.sleep(5);
    }
  }

  private Path output(int name, long... lengths) throws IOException {
    byte[] bytes = new byte[(int) Arrays.stream(lengths).sum()];
    new Random(name).nextBytes(bytes);
    return Files.write(directory.resolve("output-" + name), bytes);
  }

  private static boolean isMapped(Path file) throws IOException {
    String path = Objects.requireNonNull(file.toRealPath()).toString();
    try (var lines = Files.lines(Path.of("/proc/self/maps"))) {
      return lines.anyMatch(line -> line.endsWith(path));
    }
  }
}
