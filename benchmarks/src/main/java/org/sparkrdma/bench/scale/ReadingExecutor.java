package org.sparkrdma.bench.scale;

import java.io.IOException;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import org.apache.spark.shuffle.rdma.fetch.BlockRange;
import org.apache.spark.shuffle.rdma.fetch.Delivery;
import org.apache.spark.shuffle.rdma.fetch.FetchEngine;
import org.apache.spark.shuffle.rdma.fetch.FetchOptions;
import org.apache.spark.shuffle.rdma.location.LocationCache;
import org.apache.spark.shuffle.rdma.memory.BufferPool;
import org.apache.spark.shuffle.rdma.memory.BufferSlice;
import org.apache.spark.shuffle.rdma.metrics.Counters;
import org.apache.spark.shuffle.rdma.metrics.FallbackReason;
import org.sparkrdma.bench.engine.InstantFabric;
import org.sparkrdma.bench.engine.ServedOutputs;

/** An executor whose reducers read a block of every other executor. */
final class ReadingExecutor implements AutoCloseable {

  private static final long TIMEOUT_MILLIS = 60_000;
  private static final long POOL_BYTES = 32L << 20;
  private static final int BLOCK_BYTES = 1 << 10;

  private final Counters counters = new Counters();
  private final InstantFabric fabric = new InstantFabric();
  private final BufferPool pool = new BufferPool(fabric, counters, POOL_BYTES);
  private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
  private final List<String> peers;
  private final ServedOutputs outputs;
  private final FetchEngine engine;

  /** The others exist, and nothing is read yet. */
  ReadingExecutor(int executors) throws IOException {
    peers = IntStream.range(0, executors).mapToObj(Integer::toString).toList();
    outputs = new ServedOutputs(fabric, peers, 1, 2, BLOCK_BYTES);
    engine =
        new FetchEngine(
            fabric,
            new LocationCache(outputs, counters, () -> 0, TIMEOUT_MILLIS, timer),
            pool,
            counters,
            new FetchOptions(TIMEOUT_MILLIS, TIMEOUT_MILLIS, 1_000, 1L << 20),
            timer,
            Runnable::run,
            System::nanoTime,
            RandomGenerator.getDefault());
  }

  /**
   * Lets this many reducers read.
   *
   * @return how many connections it has then
   */
  int read(int reducers) {
    for (int reducer = 0; reducer < reducers; reducer++) {
      for (String peer : peers) {
        String block = "shuffle_" + ServedOutputs.SHUFFLE + "_0_" + reducer;
        engine.fetch(
            peer, List.of(Objects.requireNonNull(BlockRange.parse(block))), new MustArrive());
      }
    }
    return engine.openConnections();
  }

  @Override
  public void close() throws IOException {
    engine.close();
    pool.close();
    outputs.close();
    timer.shutdownNow();
  }

  private static final class MustArrive implements Delivery {
    @Override
    public void delivered(BlockRange block, BufferSlice data) {
      // That it came is enough.
    }

    @Override
    public void fallBack(List<BlockRange> blocks, FallbackReason reason) {
      throw new IllegalStateException(blocks + " fell back: " + reason);
    }
  }
}
