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
import java.util.Locale;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.apache.spark.shuffle.rdma.fabric.Fabric;
import org.apache.spark.shuffle.rdma.fabric.software.SoftwareFabric;
import org.apache.spark.shuffle.rdma.fabric.software.SoftwareOptions;
import org.apache.spark.shuffle.rdma.metrics.Counter;
import org.apache.spark.shuffle.rdma.metrics.Counters;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class OutputRegistryTest {

  private static final long GRACE_MILLIS = 20;

  /** Too large to be copied. */
  private static final int LARGE = 100_000;

  private static final int SMALL = 1000;

  @TempDir private Path directory;
  private final Counters counters = new Counters();
  private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
  private final List<String> told = new ArrayList<>();
  private Fabric fabric;
  private OutputRegistry registry;
  private long nanos;

  @BeforeEach
  void start() throws IOException {
    fabric =
        SoftwareFabric.start(new SoftwareOptions("127.0.0.1", true, false, 5000, null, "owner"));
    registry = newRegistry(1000, PinBudget.UNLIMITED);
  }

  @AfterEach
  void everythingIsReleased() {
    registry.close();
    assertEquals(0, counters.get(Counter.REGIONS_LIVE));
    assertEquals(0, counters.get(Counter.MAPPED_BYTES));
    assertEquals(0, counters.get(Counter.BUDGET_BYTES));
    assertEquals(counters.get(Counter.OUTPUTS_REGISTERED), counters.get(Counter.OUTPUTS_RELEASED));
    fabric.close();
    timer.shutdownNow();
  }

  @Test
  void theFilesSizeAndBytesNeverChange() throws Exception {
    Path file = output(1, LARGE, 0, 333);
    byte[] before = Files.readAllBytes(file);
    OutputLocation location = registry.register(3, 7, file, new long[] {LARGE, 0, 333});
    assertNotNull(location);
    assertEquals(LARGE + 333, location.dataLength());
    assertEquals(3, location.partitions());
    assertTrue(isMapped(file));
    registry.unregisterShuffle(3);
    awaitReleased(1);
    assertFalse(isMapped(file));
    assertArrayEquals(before, Files.readAllBytes(file));
  }

  @Test
  void aHeldBlockStaysMappedAfterItsOutputWasReleased() throws Exception {
    Path file = output(1, LARGE, 0, 333, 20);
    assertNotNull(registry.register(3, 7, file, new long[] {LARGE, 0, 333, 20}));
    LocalBlock block = Objects.requireNonNull(registry.find(3, 7, 1, 3));
    assertEquals(LARGE, block.offset());
    assertEquals(333, block.length());
    HeldBlock held = Objects.requireNonNull(block.hold());
    registry.unregisterShuffle(3);
    awaitReleased(1);
    assertNull(registry.find(3, 7, 1, 3));
    assertTrue(isMapped(file));
    byte[] expected = Arrays.copyOfRange(Files.readAllBytes(file), LARGE, LARGE + 333);
    assertArrayEquals(expected, held.inputStream().readAllBytes());
    held.close();
    held.close();
    assertFalse(isMapped(file));
    assertNull(block.hold());
  }

  /** The executor stops, and Netty still sends. */
  @Test
  void aHeldBlockStaysMappedWhenTheRegistryCloses() throws Exception {
    Path file = output(1, LARGE);
    assertNotNull(registry.register(3, 7, file, new long[] {LARGE}));
    HeldBlock held =
        Objects.requireNonNull(Objects.requireNonNull(registry.find(3, 7, 0, 1)).hold());
    registry.close();
    assertArrayEquals(Files.readAllBytes(file), held.inputStream().readAllBytes());
    held.close();
    assertFalse(isMapped(file));
  }

  @Test
  void onlyPartitionsOfARegisteredOutputAreFoundAndOnlyAMappedOneIsHeld() throws Exception {
    assertNotNull(registry.register(3, 7, output(1, SMALL, 10), new long[] {SMALL, 10}));
    LocalBlock copied = Objects.requireNonNull(registry.find(3, 7, 1, 2));
    assertEquals(SMALL, copied.offset());
    assertEquals(10, copied.length());
    assertFalse(copied.isMapped());
    assertNull(copied.hold());
    assertNull(registry.find(3, 8, 0, 1));
    assertNull(registry.find(4, 7, 0, 1));
    assertNull(registry.find(3, 7, 0, 3));
    assertNull(registry.find(3, 7, -1, 1));
    assertNull(registry.find(3, 7, 2, 1));
  }

  @Test
  void aSmallOutputIsCopiedAndTakesNoMapping() throws Exception {
    Path file = output(1, SMALL);
    assertNotNull(registry.register(3, 7, file, new long[] {SMALL}));
    assertFalse(isMapped(file));
    assertEquals(1, counters.get(Counter.OUTPUTS_COPIED));
    assertEquals(0, counters.get(Counter.MAPPED_BYTES));
    assertEquals(List.of("3: 7"), told);
  }

  @Test
  void aSmallOutputForWhichNoSlabHasRoomIsMapped() throws Exception {
    registry.close();
    // A slab for the index pages, and less than another one.
    registry = newRegistry(1000, RegionSlabs.SLAB_BYTES + 100_000);
    Path file = output(1, SMALL);
    assertNotNull(registry.register(3, 7, file, new long[] {SMALL}));
    assertTrue(isMapped(file));
  }

  @Test
  void aFileOfAnotherLengthIsRefusedAndNotExtended() throws Exception {
    for (int size : new int[] {SMALL, LARGE}) {
      Path file = output(size, size);
      assertThrows(
          IOException.class, () -> registry.register(3, size, file, new long[] {size + 1}));
      assertThrows(
          IOException.class, () -> registry.register(4, size, file, new long[] {size - 1}));
      assertEquals(size, Files.size(file));
    }
    assertThrows(
        IOException.class,
        () -> registry.register(3, 9, directory.resolve("none"), new long[] {1}));
    assertEquals(5, counters.get(Counter.OUTPUTS_NOT_REGISTERED));
    assertEquals("3: NOT_REGISTERED [9]", told.getLast());
  }

  @Test
  void anEmptyOutputNeedsNoRegion() throws Exception {
    assertNull(registry.register(3, 7, directory.resolve("none"), new long[] {0, 0}));
    assertEquals(1, counters.get(Counter.OUTPUTS_EMPTY));
    assertEquals(List.of(), told);
  }

  @Test
  void aSecondOutputOfTheSameMapIsRefused() throws Exception {
    assertNotNull(registry.register(3, 7, output(1, LARGE), new long[] {LARGE}));
    assertNull(registry.register(3, 7, output(2, LARGE), new long[] {LARGE}));
    assertEquals(1, counters.get(Counter.REGIONS_LIVE));
    assertEquals(List.of("3: 7"), told);
  }

  @Test
  void outputsBeyondTheLimitAreRefusedUntilOthersAreReleased() throws Exception {
    registry.close();
    registry = newRegistry(2, PinBudget.UNLIMITED);
    assertNotNull(large(1, 1));
    assertNotNull(large(2, 2));
    assertNull(large(2, 3));
    assertEquals("2: OVER_BUDGET [3]", told.getLast());
    registry.unregisterShuffle(1);
    awaitReleased(1);
    assertNotNull(large(2, 4));
  }

  @Test
  void aRetiredOutputKeepsItsPlaceForAsLongAsItsMapping() throws Exception {
    registry.close();
    registry = newRegistry(2, PinBudget.UNLIMITED);
    large(1, 1);
    large(1, 2);
    registry.retire(1, List.of(1L));
    awaitReleased(1);
    assertTrue(isMapped(directory.resolve("output-1")), "its group has another output");
    assertNull(large(1, 3));
  }

  @Test
  void aLateOutputOfAnEndedShuffleIsRefused() throws Exception {
    registry.unregisterShuffle(5);
    assertNull(large(5, 1));
    assertEquals(0, counters.get(Counter.REGIONS_LIVE));
  }

  @Test
  void retiringTellsAndReleasesAfterTheGraceAlone() throws Exception {
    large(1, 1);
    registry.register(1, 2, output(2, SMALL), new long[] {SMALL});
    registry.retire(1, List.of(2L, 99L));
    assertEquals("1: RETIRED [2]", told.getLast());
    assertEquals(1, counters.get(Counter.OUTPUTS_RETIRED));
    awaitReleased(1);
    assertEquals(1, counters.get(Counter.REGIONS_LIVE));
    registry.retire(1, List.of(2L));
    assertEquals(1, counters.get(Counter.OUTPUTS_RETIRED));
  }

  @Test
  void manyOutputsShareFewArenasAndAllAreUnmapped() throws Exception {
    int outputs = 3 * MappingGroup.MAX_OUTPUTS + 5;
    for (int map = 0; map < outputs; map++) {
      assertNotNull(large(1, map));
    }
    assertEquals(outputs, counters.get(Counter.REGIONS_LIVE));
    assertTrue(isMapped(directory.resolve("output-0")));
    registry.unregisterShuffle(1);
    awaitReleased(outputs);
    for (int map = 0; map < outputs; map++) {
      assertFalse(isMapped(directory.resolve("output-" + map)), "map " + map);
    }
  }

  @Test
  void overTheBudgetTheShuffleUnusedForLongestMakesRoom() throws Exception {
    registry.close();
    // Index pages take a slab; then four outputs fit, of which each is over an eighth of it all.
    registry =
        newRegistry(1000, RegionSlabs.SLAB_BYTES + 4 * AnonymousMemory.wholePages(3 * LARGE));
    larger(1, 1);
    larger(1, 2);
    larger(2, 3);
    larger(3, 4);
    long full = counters.get(Counter.BUDGET_BYTES);
    assertNull(larger(4, 5), "nothing is idle yet");
    assertEquals("4: OVER_BUDGET [5]", told.getLast());
    assertEquals(0, counters.get(Counter.OUTPUTS_RETIRED));
    passGrace();
    registry.used(1);
    assertNull(larger(4, 6));
    assertEquals("2: RETIRED [3]", told.getLast(), "shuffle 1 is being read, so 2 is the oldest");
    assertTrue(counters.get(Counter.BUDGET_BYTES) <= full);
    awaitReleased(1);
    assertNotNull(larger(4, 7), "there's room now");
    registry.unused(1);
    passGrace();
    assertNull(larger(4, 8));
    assertEquals("3: RETIRED [4]", told.getLast(), "1 was used after it");
    awaitReleased(2);
    assertNotNull(larger(4, 9));
    passGrace();
    assertNull(larger(4, 10));
    assertEquals("1: RETIRED [1]", told.getLast(), "the oldest output alone");
    assertEquals(3, counters.get(Counter.OUTPUTS_RETIRED));
  }

  @Test
  void whatIsLargerThanTheBudgetMakesNoRoom() throws Exception {
    registry.close();
    registry = newRegistry(1000, RegionSlabs.SLAB_BYTES + 2 * LARGE);
    large(1, 1);
    passGrace();
    int size = 2 * (int) RegionSlabs.SLAB_BYTES;
    assertNull(registry.register(2, 2, output(2, size), new long[] {size}));
    assertEquals("2: OVER_BUDGET [2]", told.getLast());
    assertEquals(0, counters.get(Counter.OUTPUTS_RETIRED));
  }

  @Test
  void outOfPlacesOutputsMakeRoomToo() throws Exception {
    registry.close();
    registry = newRegistry(8, PinBudget.UNLIMITED);
    large(1, 1);
    for (int map = 2; map <= 8; map++) {
      large(2, map);
    }
    passGrace();
    assertNull(large(3, 100));
    assertEquals("1: RETIRED [1]", told.getLast(), "an eighth");
    awaitReleased(1);
    assertFalse(isMapped(directory.resolve("output-1")));
    assertNotNull(large(3, 101), "its place is free");
  }

  @Test
  void whatFindsNoRoomTakesNoPlace() throws Exception {
    registry.close();
    registry = newRegistry(3, RegionSlabs.SLAB_BYTES + 2 * AnonymousMemory.wholePages(LARGE));
    assertNotNull(large(1, 1));
    for (int map = 2; map < 10; map++) {
      int size = (int) RegionSlabs.SLAB_BYTES;
      assertNull(registry.register(1, map, output(map, size), new long[] {size}));
    }
    assertNotNull(large(1, 10));
    assertNull(large(1, 11), "the budget is full");
  }

  @Test
  void manySmallOutputsThatFindNoRoomMakeAsLittleRoomAsTheyNeed() throws Exception {
    registry.close();
    // Index pages take the first slab, and no other one fits in beside the large outputs.
    registry = newRegistry(1000, RegionSlabs.SLAB_BYTES + 10 * AnonymousMemory.wholePages(LARGE));
    for (int map = 0; map < 10; map++) {
      assertNotNull(large(1, map));
    }
    passGrace();
    for (int map = 100; map < 110; map++) {
      assertNull(registry.register(2, map, output(map, SMALL), new long[] {SMALL}));
    }
    // An eighth of the budget, which is more than ten pages.
    assertEquals(3, counters.get(Counter.OUTPUTS_RETIRED));
  }

  @Test
  void withoutALimitForFilesFullSlabsRetireNothing() throws Exception {
    registry.close();
    PinBudget slabsOnly = new PinBudget(PinBudget.UNLIMITED, RegionSlabs.SLAB_BYTES, counters);
    registry = newRegistry(1000, slabsOnly, LocalDirectories.probe(List.of(), fabric));
    int partitions = 100_000;
    long[] wide = new long[partitions];
    wide[0] = LARGE;
    Path file = output(1, LARGE);
    assertNotNull(registry.register(1, 1, file, wide));
    passGrace();
    assertNull(registry.register(2, 2, file, wide), "its index page is another slab");
    assertEquals(0, counters.get(Counter.OUTPUTS_RETIRED));
    assertEquals("2: OVER_BUDGET [2]", told.getLast());
  }

  @Test
  void copiesGiveTheirSlabsBack() throws Exception {
    int size = (int) OutputStore.COPY_BYTES;
    for (int map = 0; map < 64; map++) {
      registry.register(map % 2, map, output(map, size), new long[] {size});
    }
    assertEquals(5 * RegionSlabs.SLAB_BYTES, counters.get(Counter.BUDGET_BYTES));
    registry.unregisterShuffle(0);
    registry.unregisterShuffle(1);
    awaitReleased(64);
    // One stays for the next copies, and one of index pages.
    assertEquals(2 * RegionSlabs.SLAB_BYTES, counters.get(Counter.BUDGET_BYTES));
  }

  @Test
  void whatLiesInADirectoryThatRefusesIsNotRegistered() throws Exception {
    // There's nothing to be had in it as yet.
    Path refusing = directory.resolve("refusing");
    Path good = Files.createDirectory(directory.resolve("good"));
    LocalDirectories directories = LocalDirectories.probe(List.of(good, refusing), fabric);
    Files.createDirectory(refusing);
    registry.close();
    registry =
        newRegistry(
            1000, new PinBudget(PinBudget.UNLIMITED, PinBudget.UNLIMITED, counters), directories);
    Files.write(refusing.resolve("x"), new byte[SMALL]);
    Files.write(good.resolve("x"), new byte[SMALL]);
    assertNull(registry.register(1, 1, refusing.resolve("x"), new long[] {SMALL}));
    assertEquals("1: NOT_REGISTERED [1]", told.getLast());
    assertNotNull(registry.register(1, 2, good.resolve("x"), new long[] {SMALL}));
    try (var files = Files.list(good)) {
      assertEquals(1, files.count(), "the probe's file is gone");
    }
  }

  @Test
  void closingReleasesWhatCouldNotBeReleasedBefore() throws Exception {
    registry.close();
    StuckFabric stuck = new StuckFabric(fabric);
    fabric = stuck;
    registry = newRegistry(1000, PinBudget.UNLIMITED);
    large(1, 1);
    stuck.stuck = true;
    registry.unregisterShuffle(1);
    while (stuck.refusals.get() == 0) {
      Thread.sleep(5);
    }
    // So that nobody else tries it again.
    timer.shutdownNow();
    assertTrue(timer.awaitTermination(1, TimeUnit.MINUTES));
    stuck.stuck = false;
    registry.close();
    assertEquals(1, counters.get(Counter.OUTPUTS_RELEASED));
  }

  private @Nullable OutputLocation large(int shuffleId, int mapId) throws IOException {
    return registry.register(shuffleId, mapId, output(mapId, LARGE), new long[] {LARGE});
  }

  private @Nullable OutputLocation larger(int shuffleId, int mapId) throws IOException {
    return registry.register(shuffleId, mapId, output(mapId, 3 * LARGE), new long[] {3 * LARGE});
  }

  private void passGrace() {
    nanos += TimeUnit.MILLISECONDS.toNanos(GRACE_MILLIS) + 1;
  }

  private OutputRegistry newRegistry(int maxMapped, long budget) {
    return newRegistry(
        maxMapped,
        new PinBudget(budget, budget, counters),
        LocalDirectories.probe(List.of(), fabric));
  }

  private OutputRegistry newRegistry(
      int maxMapped, PinBudget budget, LocalDirectories directories) {
    return new OutputRegistry(
        fabric,
        budget,
        directories,
        counters,
        timer,
        new OutputRegistry.Limits(maxMapped, GRACE_MILLIS),
        () -> nanos,
        new OutputRegistry.Publisher() {
          @Override
          public void published(OutputLocation location) {
            told.add(location.shuffleId() + ": " + location.mapId());
          }

          @Override
          public void absent(int shuffleId, Absence absence, long... mapIds) {
            told.add(
                String.format(
                    Locale.ROOT, "%d: %s %s", shuffleId, absence, Arrays.toString(mapIds)));
          }
        });
  }

  private void awaitReleased(int outputs) throws InterruptedException {
    while (counters.get(Counter.OUTPUTS_RELEASED) < outputs) {
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
