package org.apache.spark.shuffle.rdma.fetch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.spark.shuffle.rdma.fabric.Connection;
import org.apache.spark.shuffle.rdma.fabric.Fabric;
import org.apache.spark.shuffle.rdma.fabric.software.SoftwareFabric;
import org.apache.spark.shuffle.rdma.fabric.software.SoftwareOptions;
import org.apache.spark.shuffle.rdma.location.Codec;
import org.apache.spark.shuffle.rdma.location.Directory;
import org.apache.spark.shuffle.rdma.location.LocationCache;
import org.apache.spark.shuffle.rdma.location.ManualTimer;
import org.apache.spark.shuffle.rdma.location.Message;
import org.apache.spark.shuffle.rdma.memory.Absence;
import org.apache.spark.shuffle.rdma.memory.BufferPool;
import org.apache.spark.shuffle.rdma.memory.BufferSlice;
import org.apache.spark.shuffle.rdma.memory.LocalDirectories;
import org.apache.spark.shuffle.rdma.memory.OutputLocation;
import org.apache.spark.shuffle.rdma.memory.OutputRegistry;
import org.apache.spark.shuffle.rdma.memory.PinBudget;
import org.apache.spark.shuffle.rdma.metrics.Counter;
import org.apache.spark.shuffle.rdma.metrics.Counters;
import org.apache.spark.shuffle.rdma.metrics.FallbackReason;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Outputs are registered, retired for room, given up with their shuffle and read, in an order that
 * a seed chooses: between any two reads of a list, anything else may happen. Files, mappings and
 * reads are real; time isn't. A read that meets memory which was unmapped would fail, on RDMA with
 * its whole queue pair: so none may, unless its list waited so long behind others that its
 * connection breaks here anyway.
 */
final class RetirementInterleavingTest {

  private static final int SEEDS = Boolean.getBoolean("rdma.extended") ? 200_000 : 10_000;

  /** To look at one that failed: -Dseed=N. */
  private static final Integer ONE_SEED = Integer.getInteger("seed");

  private static final int STEPS = 60;
  private static final int SHUFFLES = 3;
  private static final int PARTITIONS = 3;
  private static final long LEASE_MILLIS = 100;
  private static final long READ_TIMEOUT_MILLIS = 200;
  private static final long GRACE_MILLIS = LEASE_MILLIS + READ_TIMEOUT_MILLIS * 5 / 2;

  /** Two slabs, for index pages and for copies, and two of the large outputs. */
  private static final long BUDGET = (2 << 20) + 2 * 73_728;

  /** Of the files, every other one too large to be copied. */
  private static final int[] FILE_BYTES = {600, 70_000, 3000, 71_000};

  /** What a read that is broken off by the test, late or too late may be counted under. */
  private static final Set<FallbackReason> EXPECTED =
      Set.of(
          FallbackReason.NO_LOCATION,
          FallbackReason.OVER_BUDGET,
          FallbackReason.REGION_RETIRED,
          FallbackReason.CONNECTION_LOST,
          FallbackReason.DEADLINE,
          FallbackReason.PEER_IN_BACKOFF);

  @TempDir private Path directory;
  private final List<byte[]> contents = new ArrayList<>();
  private Fabric owner;
  private Fabric reader;
  private Connection wire;

  @BeforeEach
  void start() throws Exception {
    owner = software("owner");
    reader = software("reader");
    wire = reader.connect(owner.address()).get(60, TimeUnit.SECONDS);
    assertEquals(Connection.Way.DIRECT, wire.way());
    for (int file = 0; file < FILE_BYTES.length; file++) {
      byte[] content = new byte[FILE_BYTES[file]];
      new Random(file).nextBytes(content);
      contents.add(content);
      Files.write(path(file), content);
    }
  }

  @AfterEach
  void stop() {
    reader.close();
    owner.close();
  }

  private static Fabric software(String name) throws IOException {
    return SoftwareFabric.start(new SoftwareOptions("127.0.0.1", true, false, 5000, null, name));
  }

  private Path path(int file) {
    return directory.resolve("output-" + file);
  }

  @Test
  void nothingIsUnmappedUnderAReaderAndNothingStays() throws Exception {
    Map<FallbackReason, Integer> reasons = new EnumMap<>(FallbackReason.class);
    Map<Counter, Long> sums = new EnumMap<>(Counter.class);
    long delivered = 0;
    int first = ONE_SEED == null ? 0 : ONE_SEED;
    for (int seed = first; seed < (ONE_SEED == null ? SEEDS : first + 1); seed++) {
      Run run = new Run(seed, GRACE_MILLIS - LEASE_MILLIS);
      try {
        run.all();
      } catch (AssertionError | RuntimeException e) {
        throw new AssertionError("seed " + seed + "; again by -Dseed=" + seed, e);
      }
      run.reasons.forEach((reason, count) -> reasons.merge(reason, count, Integer::sum));
      for (Counter counter :
          List.of(Counter.OUTPUTS_RETIRED, Counter.OUTPUTS_COPIED, Counter.OUTPUTS_OVER_BUDGET)) {
        sums.merge(counter, run.ownerCounters.get(counter), Long::sum);
      }
      delivered += run.delivered;
    }
    System.out.println(delivered + " blocks delivered, " + reasons + ", " + sums);
    if (ONE_SEED == null) {
      assertTrue(delivered > SEEDS, "hardly anything was read");
      assertEquals(EXPECTED, reasons.keySet(), "each of these happens in so many runs");
      sums.values().forEach(count -> assertTrue(count > SEEDS / 10, sums::toString));
    }
    assertEquals(0, mappingsOfOutputs());
  }

  /** Each list takes less than the read timeout, and all of them together several times that. */
  @Test
  void aListThatWaitsBehindOthersIsntLate() throws Exception {
    Run run = new Run(0, Long.MAX_VALUE);
    run.oneAfterAnother(4);
    assertEquals(4, run.delivered);
    assertEquals(Map.of(), run.reasons);
  }

  private long mappingsOfOutputs() throws IOException {
    String prefix = Objects.requireNonNull(directory.toRealPath()).toString();
    try (var maps = Files.lines(Path.of("/proc/self/maps"))) {
      return maps.filter(line -> line.contains(prefix)).count();
    }
  }

  /** One seed's life. */
  private final class Run implements OutputRegistry.Publisher {
    private final Random random;
    private final ManualTimer timer = new ManualTimer();
    private final Directory locations = new Directory();
    private final Counters ownerCounters = new Counters();
    private final Counters readerCounters = new Counters();
    private final SteppedFabric stepped;
    private final OutputRegistry outputs;
    private final BufferPool pool;
    private final FetchEngine engine;
    private final List<OutputLocation> published = new ArrayList<>();
    private final Map<Long, Integer> files = new HashMap<>();
    private final List<Integer> used = new ArrayList<>();
    private final Map<FallbackReason, Integer> reasons = new EnumMap<>(FallbackReason.class);
    private long nextMapId;
    private int requested;
    private int settled;
    private long delivered;

    Run(int seed, long maxListMillis) {
      random = new Random(seed);
      stepped = new SteppedFabric(reader, wire, timer::nanoTime, maxListMillis);
      outputs =
          new OutputRegistry(
              owner,
              new PinBudget(BUDGET, BUDGET, ownerCounters),
              LocalDirectories.probe(List.of(), owner),
              ownerCounters,
              timer,
              new OutputRegistry.Limits(100, GRACE_MILLIS),
              timer::nanoTime,
              this);
      pool = new BufferPool(reader, readerCounters, 1 << 20);
      LocationCache cache =
          new LocationCache(
              new TwoExecutors.InProcess(locations), readerCounters, () -> 0, 1000, timer);
      engine =
          new FetchEngine(
              stepped,
              cache,
              pool,
              readerCounters,
              new FetchOptions(LEASE_MILLIS, READ_TIMEOUT_MILLIS, 10, 1 << 20),
              timer,
              Runnable::run,
              timer::nanoTime,
              random);
      for (int shuffle = 0; shuffle < SHUFFLES; shuffle++) {
        locations.registerShuffle(shuffle);
      }
      locations.hello(
          new Message.Hello("owner", owner.name(), owner.address(), Codec.PROTOCOL_VERSION));
    }

    @Override
    public void published(OutputLocation location) {
      locations.publish("owner", List.of(location));
      published.add(location);
    }

    @Override
    public void absent(int shuffleId, Absence absence, long... mapIds) {
      locations.absent("owner", shuffleId, absence, mapIds);
    }

    void all() throws IOException {
      for (int step = 0; step < STEPS; step++) {
        switch (random.nextInt(16)) {
          case 0, 1, 2 -> register();
          case 3, 4, 5 -> fetch();
          case 6, 7, 8, 9, 10, 11 -> stepped.step(random);
          case 12, 13 -> timer.advance(random.nextInt((int) READ_TIMEOUT_MILLIS));
          case 14 -> rarely();
          default -> retireOne();
        }
        assertTrue(ownerCounters.get(Counter.BUDGET_BYTES) <= BUDGET, "over the budget");
      }
      if (random.nextBoolean()) {
        // Else the engine ends while lists wait.
        while (stepped.hasSteps()) {
          stepped.step(random);
        }
      }
      engine.close();
      stepped.close();
      timer.advance(2 * READ_TIMEOUT_MILLIS);
      assertEquals(List.of(), stepped.failures, "reads that failed at the owner");
      assertEquals(requested, settled, "blocks settled");
      assertTrue(EXPECTED.containsAll(reasons.keySet()), reasons::toString);
      assertEquals(0, readerCounters.get(Counter.POOL_BYTES_IN_USE), "buffers out");
      pool.close();
      if (random.nextBoolean()) {
        for (int shuffle = 0; shuffle < SHUFFLES; shuffle++) {
          outputs.unregisterShuffle(shuffle);
        }
        timer.advance(GRACE_MILLIS);
        assertEquals(0, ownerCounters.get(Counter.REGIONS_LIVE), "regions left after the grace");
        assertEquals(0, ownerCounters.get(Counter.MAPPED_BYTES));
      }
      outputs.close();
      assertEquals(0, ownerCounters.get(Counter.REGIONS_LIVE));
      assertEquals(0, ownerCounters.get(Counter.BUDGET_BYTES));
    }

    void oneAfterAnother(int fetches) throws IOException {
      for (int i = 0; i < fetches; i++) {
        register(0, 0);
        engine.fetch(
            "owner",
            List.of(Objects.requireNonNull(BlockRange.parse("shuffle_0_" + i + "_1"))),
            new Checked());
      }
      while (stepped.hasSteps()) {
        timer.advance(READ_TIMEOUT_MILLIS / 3);
        stepped.step(random);
      }
      engine.close();
      stepped.close();
      pool.close();
      outputs.close();
    }

    private void register() throws IOException {
      register(random.nextInt(SHUFFLES), random.nextInt(FILE_BYTES.length));
    }

    private void register(int shuffle, int file) throws IOException {
      long mapId = nextMapId++;
      files.put(mapId, file);
      int third = FILE_BYTES[file] / 3;
      long[] lengths = {third, third, FILE_BYTES[file] - 2 * third};
      var _ = outputs.register(shuffle, mapId, path(file), lengths);
    }

    private void rarely() {
      switch (random.nextInt(4)) {
        case 0 -> outputs.unregisterShuffle(random.nextInt(SHUFFLES));
        case 1 -> stepped.breakOne(random);
        case 2 -> {
          int shuffle = random.nextInt(SHUFFLES);
          if (outputs.used(shuffle)) {
            used.add(shuffle);
          }
        }
        default -> {
          if (!used.isEmpty()) {
            outputs.unused(used.removeFirst());
          }
        }
      }
    }

    private void retireOne() {
      if (!published.isEmpty()) {
        OutputLocation location = published.get(random.nextInt(published.size()));
        outputs.retire(location.shuffleId(), List.of(location.mapId()));
      }
    }

    /** Blocks of outputs that are there, or were, or never. */
    private void fetch() {
      List<BlockRange> blocks = new ArrayList<>();
      for (int i = random.nextInt(4); i >= 0; i--) {
        int known = published.size();
        boolean real = known > 0 && random.nextInt(20) > 0;
        int shuffle = random.nextInt(SHUFFLES);
        long mapId = random.nextInt((int) nextMapId + 1);
        if (real) {
          OutputLocation location = published.get(random.nextInt(known));
          shuffle = location.shuffleId();
          mapId = location.mapId();
        }
        String id = "shuffle_" + shuffle + "_" + mapId + "_" + random.nextInt(PARTITIONS);
        blocks.add(Objects.requireNonNull(BlockRange.parse(id)));
      }
      requested += blocks.size();
      engine.fetch("owner", blocks, new Checked());
    }

    private final class Checked implements Delivery {
      @Override
      public void delivered(BlockRange block, BufferSlice data) {
        byte[] got = new byte[(int) data.length()];
        data.byteBuffer().get(got);
        byte[] all = contents.get(Objects.requireNonNull(files.get(block.mapId())));
        int third = all.length / 3;
        int begin = block.first() * third;
        int end = block.first() == PARTITIONS - 1 ? all.length : begin + third;
        assertTrue(Arrays.equals(got, 0, got.length, all, begin, end), block + " has other bytes");
        settled++;
        delivered++;
      }

      @Override
      public void fallBack(List<BlockRange> blocks, FallbackReason reason) {
        settled += blocks.size();
        reasons.merge(reason, blocks.size(), Integer::sum);
      }
    }
  }
}
