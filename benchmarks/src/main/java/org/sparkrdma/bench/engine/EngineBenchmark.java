package org.sparkrdma.bench.engine;

import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.apache.spark.network.buffer.ManagedBuffer;
import org.apache.spark.network.shuffle.BlockFetchingListener;
import org.apache.spark.shuffle.rdma.RdmaBlockStoreClient;
import org.apache.spark.shuffle.rdma.fetch.FetchEngine;
import org.apache.spark.shuffle.rdma.fetch.FetchOptions;
import org.apache.spark.shuffle.rdma.location.LocationCache;
import org.apache.spark.shuffle.rdma.memory.BufferPool;
import org.apache.spark.shuffle.rdma.metrics.Counters;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Our whole client path, as a reduce task drives it: block ids are read, their outputs located and
 * found in the cache, index pages too, lists planned, posted to a fabric that completes at once,
 * and each block handed to the listener in a buffer, which retains and releases it as Spark does.
 * One operation is a task that fetches {@value #BLOCKS} blocks of 64 KiB from one executor with
 * 1,000 outputs, a reducer's blocks one after another.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 2)
@Measurement(iterations = 5, time = 2)
@Fork(
    value = 1,
    jvmArgsAppend = {
      "--enable-native-access=ALL-UNNAMED",
      "--sun-misc-unsafe-memory-access=allow",
      "-Xmx1g"
    })
@State(Scope.Benchmark)
public class EngineBenchmark {

  static final int OUTPUTS = 1_000;
  static final int REDUCERS = 8;
  static final int BLOCKS = OUTPUTS * REDUCERS;

  private static final int BLOCK_BYTES = 64 << 10;
  private static final long POOL_BYTES = 64L << 20;

  /** Longer than a run: pages are read once. */
  private static final long LEASE_MILLIS = 3_600_000;

  /** Of one request. */
  @Param({"1", "8", "64", "1000"})
  public int blocks;

  private final Counters counters = new Counters();
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(
          task -> Thread.ofPlatform().daemon().name("timer").unstarted(task));
  private @Nullable ServedOutputs outputs;
  private @Nullable BufferPool pool;
  private @Nullable FetchEngine engine;

  /** What the thread spent; JMH's own time is wall time. */
  @AuxCounters(AuxCounters.Type.EVENTS)
  @State(Scope.Thread)
  public static class Cpu {
    static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    /** Of the operations below. */
    public long cpuNanos;

    /** In which so many were done. */
    public long operations;

    void add(long startNanos) {
      cpuNanos += THREADS.getCurrentThreadCpuTime() - startNanos;
      operations++;
    }
  }

  /** Registers the outputs and lets a first task find them. */
  @Setup(Level.Trial)
  public void open() throws IOException {
    InstantFabric fabric = new InstantFabric();
    outputs =
        new ServedOutputs(fabric, List.of(ServedOutputs.EXECUTOR), OUTPUTS, REDUCERS, BLOCK_BYTES);
    pool = new BufferPool(fabric, counters, POOL_BYTES);
    engine =
        new FetchEngine(
            fabric,
            new LocationCache(outputs, counters, () -> 0, LEASE_MILLIS, timer),
            pool,
            counters,
            new FetchOptions(LEASE_MILLIS, LEASE_MILLIS, 1_000, 64L << 20),
            timer,
            Runnable::run,
            System::nanoTime,
            RandomGenerator.getDefault());
  }

  /** Ours. */
  @Benchmark
  public long fetch(Cpu cpu) throws IOException {
    long start = Cpu.THREADS.getCurrentThreadCpuTime();
    RdmaBlockStoreClient client =
        new RdmaBlockStoreClient(
            Objects.requireNonNull(engine), new NoTcp(), counters, Runnable::run);
    Arrivals arrivals = new Arrivals();
    for (int next = 0; next < BLOCKS; next += blocks) {
      client.fetchBlocks("host", 1, ServedOutputs.EXECUTOR, blockIds(next, blocks), arrivals, null);
    }
    cpu.add(start);
    return arrivals.check();
  }

  /** What Spark's interfaces force on anyone: the ids, a buffer for each block, the listener. */
  @Benchmark
  public long forced(Cpu cpu) throws IOException {
    long start = Cpu.THREADS.getCurrentThreadCpuTime();
    Arrivals arrivals = new Arrivals();
    for (int next = 0; next < BLOCKS; next += blocks) {
      for (String blockId : blockIds(next, blocks)) {
        arrivals.onBlockFetchSuccess(blockId, new Nothing());
      }
    }
    cpu.add(start);
    return arrivals.check();
  }

  private static String[] blockIds(int first, int count) {
    String[] ids = new String[count];
    for (int i = 0; i < count; i++) {
      int block = first + i;
      ids[i] = "shuffle_0_" + block % OUTPUTS + "_" + block / OUTPUTS;
    }
    return ids;
  }

  /** Closes what needs it. */
  @TearDown(Level.Trial)
  public void close() throws IOException {
    Objects.requireNonNull(engine).close();
    Objects.requireNonNull(pool).close();
    Objects.requireNonNull(outputs).close();
    timer.shutdownNow();
  }

  /** As Spark's iterator: keeps a block, and gives it back once it's read. */
  private static final class Arrivals implements BlockFetchingListener {
    private int arrived;
    private long bytes;

    @Override
    public void onBlockFetchSuccess(String blockId, ManagedBuffer data) {
      data.retain();
      arrived++;
      bytes += data.size();
      data.release();
    }

    @Override
    public void onBlockFetchFailure(String blockId, Throwable exception) {
      throw new IllegalStateException(blockId, exception);
    }

    long check() throws IOException {
      if (arrived != BLOCKS) {
        throw new IOException(arrived + " of " + BLOCKS + " blocks arrived");
      }
      return bytes;
    }
  }

  /** The least that a buffer can be. */
  private static final class Nothing extends ManagedBuffer {
    @Override
    public long size() {
      return BLOCK_BYTES;
    }

    @Override
    public ByteBuffer nioByteBuffer() {
      return ByteBuffer.allocate(0);
    }

    @Override
    public InputStream createInputStream() {
      return InputStream.nullInputStream();
    }

    @Override
    public ManagedBuffer retain() {
      return this;
    }

    @Override
    public ManagedBuffer release() {
      return this;
    }

    @Override
    public Object convertToNetty() {
      throw new UnsupportedOperationException();
    }

    @Override
    public Object convertToNettyForSsl() {
      throw new UnsupportedOperationException();
    }
  }
}
