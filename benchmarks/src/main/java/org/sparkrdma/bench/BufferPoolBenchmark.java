package org.sparkrdma.bench;

import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.apache.spark.shuffle.rdma.fabric.Fabric;
import org.apache.spark.shuffle.rdma.fabric.software.SoftwareFabric;
import org.apache.spark.shuffle.rdma.memory.BufferPool;
import org.apache.spark.shuffle.rdma.memory.PooledBuffer;
import org.apache.spark.shuffle.rdma.metrics.Counters;
import org.jspecify.annotations.Nullable;
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
import org.openjdk.jmh.annotations.Threads;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Takes a buffer from a pool whose slab is there already, and gives it back. Nothing else is taken
 * with one thread, which costs most: the slab is cut down to the buffer's size and merged again.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 5, time = 2)
@Fork(
    value = 2,
    jvmArgsAppend = {
      "--enable-native-access=ALL-UNNAMED",
      "--sun-misc-unsafe-memory-access=allow",
      "-Xmx512m"
    })
@State(Scope.Benchmark)
public class BufferPoolBenchmark {

  private static final long POOL_BYTES = 64L << 20;

  /** Bytes of the buffer. */
  @Param({"4096", "65536", "1048576"})
  public int bytes;

  private @Nullable Fabric fabric;
  private @Nullable BufferPool pool;

  /** Makes the pool, with a slab in it. */
  @Setup(Level.Trial)
  public void start() throws Exception {
    Fabric opened = SoftwareFabric.start(ServingPeer.options(true, "pool"));
    fabric = opened;
    BufferPool made = new BufferPool(opened, new Counters(), POOL_BYTES);
    pool = made;
    takeFrom(made);
  }

  /** By one thread. */
  @Benchmark
  @Threads(1)
  public void alone() {
    takeFrom(Objects.requireNonNull(pool));
  }

  /** By two threads on the same pool; the time is that of one operation of one of them. */
  @Benchmark
  @Threads(2)
  public void byTwo() {
    takeFrom(Objects.requireNonNull(pool));
  }

  private void takeFrom(BufferPool from) {
    PooledBuffer buffer = from.take(bytes);
    if (buffer == null) {
      throw new IllegalStateException("the pool is dry");
    }
    buffer.release();
  }

  /** Closes the pool before its fabric. */
  @TearDown(Level.Trial)
  public void close() {
    Objects.requireNonNull(pool).close();
    Objects.requireNonNull(fabric).close();
  }
}
