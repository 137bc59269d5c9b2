package org.sparkrdma.bench.register;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.apache.spark.shuffle.rdma.fabric.Fabric;
import org.apache.spark.shuffle.rdma.memory.Absence;
import org.apache.spark.shuffle.rdma.memory.LocalDirectories;
import org.apache.spark.shuffle.rdma.memory.OutputLocation;
import org.apache.spark.shuffle.rdma.memory.OutputRegistry;
import org.apache.spark.shuffle.rdma.memory.PinBudget;
import org.apache.spark.shuffle.rdma.metrics.Counter;
import org.apache.spark.shuffle.rdma.metrics.Counters;

/**
 * The shuffle's own way: files are map outputs, registered by an executor's registry without a
 * limit, and released with their shuffle. One thread.
 */
final class Outputs implements AutoCloseable {

  /** Spark's default for SQL. */
  static final int PARTITIONS = 200;

  private static final int MAX_MAPPED = 1_000;

  private final Counters counters = new Counters();
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(
          task -> Thread.ofPlatform().daemon().name("releasing").unstarted(task));
  private final OutputRegistry registry;
  private int shuffleId;
  private long mapId;

  /**
   * An empty registry.
   *
   * @param folder where all files will be
   */
  Outputs(Fabric fabric, Path folder) {
    registry =
        new OutputRegistry(
            fabric,
            new PinBudget(PinBudget.UNLIMITED, PinBudget.UNLIMITED, counters),
            LocalDirectories.probe(List.of(folder), fabric),
            counters,
            timer,
            new OutputRegistry.Limits(MAX_MAPPED, 0),
            System::nanoTime,
            new Nobody());
  }

  /** Registers a file. */
  void add(Path file, int bytes) throws IOException {
    if (registry.register(shuffleId, mapId++, file, lengths(bytes)) == null) {
      throw new IOException(file + " wasn't registered");
    }
  }

  /** Ends the shuffle and waits until all of it is deregistered and unmapped. */
  void release() throws IOException, InterruptedException {
    registry.unregisterShuffle(shuffleId++);
    try {
      // Without a grace period, the timer releases at once, and only then comes to this.
      timer.submit(() -> {}).get();
    } catch (ExecutionException e) {
      throw new IllegalStateException(e);
    }
    long live = counters.get(Counter.REGIONS_LIVE);
    if (live != 0) {
      throw new IOException(live + " outputs weren't released");
    }
  }

  private static long[] lengths(int bytes) {
    long[] lengths = new long[PARTITIONS];
    Arrays.fill(lengths, bytes / PARTITIONS);
    lengths[0] += bytes % PARTITIONS;
    return lengths;
  }

  @Override
  public void close() {
    registry.close();
    timer.shutdownNow();
  }

  private static final class Nobody implements OutputRegistry.Publisher {
    @Override
    public void published(OutputLocation location) {}

    @Override
    public void absent(int shuffleId, Absence absence, long... mapIds) {}
  }
}
