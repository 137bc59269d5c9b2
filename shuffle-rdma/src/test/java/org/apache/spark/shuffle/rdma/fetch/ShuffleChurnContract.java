package org.apache.spark.shuffle.rdma.fetch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.spark.shuffle.rdma.fabric.Fabric;
import org.apache.spark.shuffle.rdma.fabric.FabricException;
import org.apache.spark.shuffle.rdma.location.Codec;
import org.apache.spark.shuffle.rdma.location.Directory;
import org.apache.spark.shuffle.rdma.location.LocationCache;
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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Shuffles come and go while others read them, on any fabric: nothing stays of them, and none ends
 * a connection under a reader.
 */
public abstract class ShuffleChurnContract implements OutputRegistry.Publisher {

  private static final int WARM_UP = 20;
  private static final int SHUFFLES = Boolean.getBoolean("rdma.extended") ? 10_000 : 500;

  /** So many of the last ones are there at a time. */
  private static final int ALIVE = 4;

  private static final int READERS = 2;
  private static final int PARTITIONS = 4;
  private static final int[] FILE_BYTES = {2000, 70_000};
  private static final long LEASE_MILLIS = 20;
  private static final long READ_TIMEOUT_MILLIS = 2000;
  private static final long BUDGET = 200 << 20;

  /** Mappings that the JVM itself may have more of; a leak per shuffle is far above. */
  private static final int NOISE = 50;

  /** How a block may go that was given up before it was read. */
  private static final Set<FallbackReason> GONE =
      Set.of(FallbackReason.REGION_RETIRED, FallbackReason.NO_LOCATION);

  @TempDir private Path files;
  private final List<byte[]> contents = new ArrayList<>();
  private final Directory directory = new Directory();
  private final Counters ownerCounters = new Counters();
  private final Counters readerCounters = new Counters();
  private final Set<Integer> alive = new ConcurrentSkipListSet<>();
  private final AtomicLong delivered = new AtomicLong();
  private final Set<String> problems = new ConcurrentSkipListSet<>();
  private volatile boolean ended;

  /** Starts a fabric of the kind under test. */
  protected abstract Fabric newFabric(String owner) throws FabricException;

  @Override
  public void published(OutputLocation location) {
    directory.publish("owner", List.of(location));
  }

  @Override
  public void absent(int shuffleId, Absence absence, long... mapIds) {
    directory.absent("owner", shuffleId, absence, mapIds);
  }

  @Test
  void fiveHundredShufflesThatAreReadLeaveNothingBehind() throws Exception {
    for (int bytes : FILE_BYTES) {
      byte[] content = new byte[bytes];
      new Random(bytes).nextBytes(content);
      contents.add(content);
      Files.write(files.resolve("output-" + bytes), content);
    }
    ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
    ScheduledExecutorService releases = Executors.newSingleThreadScheduledExecutor();
    try (Fabric owner = newFabric("owner");
        Fabric reader = newFabric("reader");
        ExecutorService continuations = Executors.newVirtualThreadPerTaskExecutor();
        ExecutorService readers = Executors.newFixedThreadPool(READERS);
        BufferPool pool = new BufferPool(reader, readerCounters, 8 << 20);
        FetchEngine engine = engine(reader, pool, timer, continuations);
        OutputRegistry outputs =
            new OutputRegistry(
                owner,
                new PinBudget(BUDGET, BUDGET, ownerCounters),
                LocalDirectories.probe(List.of(files), owner),
                ownerCounters,
                releases,
                new OutputRegistry.Limits(30_000, LEASE_MILLIS + READ_TIMEOUT_MILLIS * 5 / 2),
                System::nanoTime,
                this)) {
      directory.hello(
          new Message.Hello("owner", owner.name(), owner.address(), Codec.PROTOCOL_VERSION));
      for (int thread = 0; thread < READERS; thread++) {
        int seed = thread;
        var _ = readers.submit(() -> readAll(engine, new Random(seed)));
      }
      Resources before;
      Resources after;
      try {
        churn(outputs, engine, 0, WARM_UP);
        before = Resources.now(files);
        churn(outputs, engine, WARM_UP, SHUFFLES);
        after = Resources.now(files);
      } finally {
        // Else closing the readers' pool would wait for them for ever.
        ended = true;
      }
      readers.shutdown();
      assertTrue(readers.awaitTermination(60, TimeUnit.SECONDS), "readers hang");
      System.out.println(delivered + " blocks; before " + before + ", after " + after);
      assertEquals(Set.of(), problems);
      assertTrue(delivered.get() > SHUFFLES, "hardly anything was read");
      assertEquals(1, readerCounters.get(Counter.CONNECTIONS_OPENED), "a connection broke");
      assertEquals(0, after.files);
      assertEquals(before.descriptors, after.descriptors);
      assertEquals(before.pinned, after.pinned);
      assertTrue(after.mappings <= before.mappings + NOISE, after::toString);
    } finally {
      timer.shutdownNow();
      releases.shutdownNow();
    }
    assertEquals(0, ownerCounters.get(Counter.BUDGET_BYTES));
    assertEquals(0, readerCounters.get(Counter.POOL_SLAB_BYTES));
  }

  private FetchEngine engine(
      Fabric reader,
      BufferPool pool,
      ScheduledExecutorService timer,
      ExecutorService continuations) {
    LocationCache cache =
        new LocationCache(
            new TwoExecutors.InProcess(directory), readerCounters, () -> 0, 10_000, timer);
    return new FetchEngine(
        reader,
        cache,
        pool,
        readerCounters,
        new FetchOptions(LEASE_MILLIS, READ_TIMEOUT_MILLIS, 10, 1 << 20),
        timer,
        continuations,
        System::nanoTime,
        new Random(1));
  }

  /** Registers and ends shuffles, and waits until all of the ended ones is released. */
  private void churn(OutputRegistry outputs, FetchEngine engine, int from, int count)
      throws Exception {
    for (int shuffle = from; shuffle < from + count; shuffle++) {
      // What has ended counts until its grace is over.
      while (ownerCounters.get(Counter.BUDGET_BYTES) > BUDGET / 2) {
        Thread.sleep(10);
      }
      directory.registerShuffle(shuffle);
      for (int map = 0; map < FILE_BYTES.length; map++) {
        long bytes = FILE_BYTES[map];
        long part = bytes / PARTITIONS;
        long[] lengths = {part, part, part, bytes - 3 * part};
        Objects.requireNonNull(
            outputs.register(shuffle, map, files.resolve("output-" + bytes), lengths));
      }
      alive.add(shuffle);
      // So that no shuffle is over before somebody has looked at it.
      long seen = delivered.get();
      while (delivered.get() == seen && problems.isEmpty()) {
        Thread.onSpinWait();
      }
      end(outputs, engine, shuffle - ALIVE);
    }
    for (int shuffle = from + count - ALIVE; shuffle < from + count; shuffle++) {
      end(outputs, engine, shuffle);
    }
    while (ownerCounters.get(Counter.REGIONS_LIVE) > 0) {
      Thread.sleep(10);
    }
  }

  private void end(OutputRegistry outputs, FetchEngine engine, int shuffle) {
    if (alive.contains(shuffle)) {
      // Readers go on with it for a moment, as in a cluster, where the news takes its time.
      outputs.unregisterShuffle(shuffle);
      alive.remove(shuffle);
      directory.unregisterShuffle(shuffle);
      engine.unregisterShuffle(shuffle);
    }
  }

  private void readAll(FetchEngine engine, Random random) {
    while (!ended) {
      try {
        List<Integer> shuffles = List.copyOf(alive);
        if (!shuffles.isEmpty()) {
          read(engine, shuffles.get(random.nextInt(shuffles.size())), random);
        }
      } catch (Exception | AssertionError e) {
        problems.add(e.toString());
      }
    }
  }

  private void read(FetchEngine engine, int shuffle, Random random) throws InterruptedException {
    List<BlockRange> blocks = new ArrayList<>();
    for (int map = 0; map < FILE_BYTES.length; map++) {
      String id = "shuffle_" + shuffle + "_" + map + "_" + random.nextInt(PARTITIONS);
      blocks.add(Objects.requireNonNull(BlockRange.parse(id)));
    }
    CountDownLatch left = new CountDownLatch(blocks.size());
    AtomicInteger good = new AtomicInteger();
    engine.fetch(
        "owner",
        blocks,
        new Delivery() {
          @Override
          public void delivered(BlockRange block, BufferSlice data) {
            byte[] got = new byte[(int) data.length()];
            data.byteBuffer().get(got);
            byte[] all = contents.get((int) block.mapId());
            int part = all.length / PARTITIONS;
            int begin = block.first() * part;
            int end = block.first() == PARTITIONS - 1 ? all.length : begin + part;
            if (!Arrays.equals(got, 0, got.length, all, begin, end)) {
              problems.add(block + " has other bytes");
            }
            good.incrementAndGet();
            left.countDown();
          }

          @Override
          public void fallBack(List<BlockRange> fallen, FallbackReason reason) {
            if (!GONE.contains(reason)) {
              problems.add("fell back: " + reason);
            }
            fallen.forEach(block -> left.countDown());
          }
        });
    if (!left.await(60, TimeUnit.SECONDS)) {
      problems.add("blocks never settled");
    }
    delivered.addAndGet(good.get());
  }

  /** What this process has. */
  private record Resources(long files, long mappings, int descriptors, long pinned) {
    static Resources now(Path folder) throws IOException {
      List<String> maps = Files.readAllLines(Path.of("/proc/self/maps"));
      String prefix = Objects.requireNonNull(folder.toRealPath()).toString();
      long pinned =
          Files.readAllLines(Path.of("/proc/self/status")).stream()
              .filter(line -> line.startsWith("VmPin:"))
              .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")))
              .sum();
      String[] descriptors = new File("/proc/self/fd").list();
      return new Resources(
          maps.stream().filter(line -> line.contains(prefix)).count(),
          maps.size(),
          descriptors == null ? 0 : descriptors.length,
          pinned);
    }
  }
}
