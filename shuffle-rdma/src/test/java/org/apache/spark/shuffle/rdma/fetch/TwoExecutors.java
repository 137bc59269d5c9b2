package org.apache.spark.shuffle.rdma.fetch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.apache.spark.shuffle.rdma.fabric.Fabric;
import org.apache.spark.shuffle.rdma.fabric.software.SoftwareFabric;
import org.apache.spark.shuffle.rdma.fabric.software.SoftwareOptions;
import org.apache.spark.shuffle.rdma.location.Codec;
import org.apache.spark.shuffle.rdma.location.Directory;
import org.apache.spark.shuffle.rdma.location.DirectoryTransport;
import org.apache.spark.shuffle.rdma.location.LocationCache;
import org.apache.spark.shuffle.rdma.location.MalformedMessageException;
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

/**
 * Two executors' halves in one process, with a real directory, real files and a real fabric each:
 * "owner" has outputs, "reader" fetches them.
 */
public final class TwoExecutors implements AutoCloseable {

  public static final int SHUFFLE = 7;
  public static final String OWNER = "owner";

  public final Directory directory = new Directory();
  final Counters ownerCounters = new Counters();
  public final Counters counters = new Counters();
  final Fabric ownerFabric;
  final OutputRegistry outputs;
  final BufferPool pool;
  public final FetchEngine engine;
  private final Path files;
  private final Fabric readerFabric;
  private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
  private final ExecutorService continuations = Executors.newVirtualThreadPerTaskExecutor();
  private final Map<Long, long[]> lengths = new ConcurrentHashMap<>();

  /** What a test may choose. */
  public record Options(boolean direct, long leaseMillis, long readTimeoutMillis, long poolBytes) {
    public static Options way(boolean direct) {
      return new Options(direct, 60_000, 60_000, 64 << 20);
    }

    Options lease(long millis) {
      return new Options(direct, millis, readTimeoutMillis, poolBytes);
    }

    Options readTimeout(long millis) {
      return new Options(direct, leaseMillis, millis, poolBytes);
    }

    Options pool(long bytes) {
      return new Options(direct, leaseMillis, readTimeoutMillis, bytes);
    }
  }

  public TwoExecutors(Path files, Options options) throws IOException {
    this(files, options, UnaryOperator.identity());
  }

  /**
   * Starts both.
   *
   * @param wrapper what stands between the reader and its fabric
   */
  TwoExecutors(Path files, Options options, UnaryOperator<Fabric> wrapper) throws IOException {
    this.files = files;
    ownerFabric = software(OWNER, options.direct);
    readerFabric = software("reader", options.direct);
    outputs =
        new OutputRegistry(
            ownerFabric,
            new PinBudget(PinBudget.UNLIMITED, PinBudget.UNLIMITED, ownerCounters),
            LocalDirectories.probe(List.of(files), ownerFabric),
            ownerCounters,
            timer,
            // Longer than any test: what is retired isn't released before close().
            new OutputRegistry.Limits(10_000, 600_000),
            System::nanoTime,
            new Publisher());
    pool = new BufferPool(readerFabric, counters, options.poolBytes);
    LocationCache locations =
        new LocationCache(new InProcess(directory), counters, () -> 0, 60_000, timer);
    engine =
        new FetchEngine(
            wrapper.apply(readerFabric),
            locations,
            pool,
            counters,
            new FetchOptions(options.leaseMillis, options.readTimeoutMillis, 60_000, 1 << 20),
            timer,
            continuations,
            System::nanoTime,
            new Random(1));
    directory.registerShuffle(SHUFFLE);
    directory.hello(
        new Message.Hello(
            OWNER, ownerFabric.name(), ownerFabric.address(), Codec.PROTOCOL_VERSION));
  }

  private static Fabric software(String owner, boolean direct) throws IOException {
    return SoftwareFabric.start(new SoftwareOptions("127.0.0.1", direct, false, 5000, null, owner));
  }

  /** Writes, registers and publishes an output; block r of map m is {@link #bytes}(m, r). */
  public OutputLocation output(long mapId, long... partitionLengths) throws IOException {
    OutputLocation location = register(mapId, partitionLengths);
    directory.publish(OWNER, List.of(location));
    return location;
  }

  /** Passes retirements on; publishes nothing, since tests decide what the directory hears. */
  private final class Publisher implements OutputRegistry.Publisher {
    @Override
    public void published(OutputLocation location) {}

    @Override
    public void absent(int shuffleId, Absence absence, long... mapIds) {
      directory.absent(OWNER, shuffleId, absence, mapIds);
    }
  }

  OutputLocation register(long mapId, long... partitionLengths) throws IOException {
    Path file = files.resolve("output-" + mapId);
    try (var out = Files.newOutputStream(file)) {
      for (int partition = 0; partition < partitionLengths.length; partition++) {
        out.write(bytes(mapId, partition, partitionLengths[partition]));
      }
    }
    lengths.put(mapId, partitionLengths);
    return Objects.requireNonNull(outputs.register(SHUFFLE, mapId, file, partitionLengths));
  }

  private static byte[] bytes(long mapId, int partition, long length) {
    byte[] bytes = new byte[(int) length];
    new Random(mapId * 1_000_003 + partition).nextBytes(bytes);
    return bytes;
  }

  /** The bytes that the block must have. */
  byte[] expected(BlockRange block) {
    long[] all = Objects.requireNonNull(lengths.get(block.mapId()));
    int total = 0;
    for (int partition = block.first(); partition < block.end(); partition++) {
      total += (int) all[partition];
    }
    byte[] bytes = new byte[total];
    int at = 0;
    for (int partition = block.first(); partition < block.end(); partition++) {
      byte[] part = bytes(block.mapId(), partition, all[partition]);
      System.arraycopy(part, 0, bytes, at, part.length);
      at += part.length;
    }
    return bytes;
  }

  /** Fetches and waits until all blocks are settled, each exactly once. */
  Outcome fetch(String... blockIds) throws InterruptedException {
    Outcome outcome = start(blockIds);
    outcome.await();
    return outcome;
  }

  /** A block is settled a moment before its list's buffer goes back to the pool. */
  void awaitBuffersBack() throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (counters.get(Counter.POOL_BYTES_IN_USE) != 0) {
      assertTrue(System.nanoTime() - end < 0, "buffers out for a minute");
      Thread.sleep(1);
    }
  }

  Outcome start(String... blockIds) {
    List<BlockRange> blocks =
        Arrays.stream(blockIds).map(id -> Objects.requireNonNull(BlockRange.parse(id))).toList();
    Outcome outcome = new Outcome(this, blocks.size());
    engine.fetch(OWNER, blocks, outcome);
    return outcome;
  }

  public static String block(long mapId, int partition) {
    return "shuffle_" + SHUFFLE + "_" + mapId + "_" + partition;
  }

  static String batch(long mapId, int first, int end) {
    return block(mapId, first) + "_" + end;
  }

  /** Ends both and checks that every buffer came back and every region is released. */
  @Override
  public void close() {
    engine.close();
    readerFabric.close();
    assertEquals(0, counters.get(Counter.POOL_BYTES_IN_USE), "buffers out");
    pool.close();
    outputs.close();
    assertEquals(0, ownerCounters.get(Counter.REGIONS_LIVE), "regions live");
    ownerFabric.close();
    timer.shutdownNow();
    continuations.shutdown();
  }

  /** How a fetch's blocks ended. */
  static final class Outcome implements Delivery {
    final Map<String, FallbackReason> fallenBack = new TreeMap<>();
    final List<String> delivered = new ArrayList<>();
    private final List<String> wrong = new ArrayList<>();
    private final AtomicInteger settled = new AtomicInteger();
    private final CountDownLatch left;
    private final TwoExecutors executors;

    Outcome(TwoExecutors executors, int blocks) {
      this.executors = executors;
      this.left = new CountDownLatch(blocks);
    }

    @Override
    public synchronized void delivered(BlockRange block, BufferSlice data) {
      byte[] got = new byte[(int) data.length()];
      data.byteBuffer().get(got);
      if (!Arrays.equals(got, executors.expected(block))) {
        wrong.add(block.blockId());
      }
      delivered.add(block.blockId());
      settle();
    }

    @Override
    public synchronized void fallBack(List<BlockRange> blocks, FallbackReason reason) {
      for (BlockRange block : blocks) {
        fallenBack.put(block.blockId(), reason);
        settle();
      }
    }

    private void settle() {
      settled.incrementAndGet();
      left.countDown();
    }

    void await() throws InterruptedException {
      boolean all = left.await(60, TimeUnit.SECONDS);
      assertEquals(true, all, "blocks never settled: " + left.getCount());
      synchronized (this) {
        assertEquals(List.of(), wrong, "blocks with wrong bytes");
        assertEquals(settled.get(), delivered.size() + fallenBack.size(), "settled twice");
      }
    }
  }

  /** Reaches the directory without a network. */
  record InProcess(Directory directory) implements DirectoryTransport {
    @Override
    public boolean send(byte[] message) {
      throw new UnsupportedOperationException("the tests publish to the directory themselves");
    }

    @Override
    public CompletableFuture<byte[]> ask(byte[] message, long timeoutMillis) {
      try {
        Message.Lookup lookup = (Message.Lookup) Codec.decode(message);
        return CompletableFuture.completedFuture(
            directory.lookup(lookup.shuffleId(), lookup.haveVersion()));
      } catch (MalformedMessageException e) {
        return CompletableFuture.failedFuture(e);
      }
    }
  }
}
