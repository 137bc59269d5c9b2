package org.sparkrdma.bench.engine;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.apache.spark.shuffle.rdma.fabric.Fabric;
import org.apache.spark.shuffle.rdma.location.Codec;
import org.apache.spark.shuffle.rdma.location.Directory;
import org.apache.spark.shuffle.rdma.location.DirectoryTransport;
import org.apache.spark.shuffle.rdma.location.MalformedMessageException;
import org.apache.spark.shuffle.rdma.location.Message;
import org.apache.spark.shuffle.rdma.memory.Absence;
import org.apache.spark.shuffle.rdma.memory.LocalDirectories;
import org.apache.spark.shuffle.rdma.memory.OutputLocation;
import org.apache.spark.shuffle.rdma.memory.OutputRegistry;
import org.apache.spark.shuffle.rdma.memory.PinBudget;
import org.apache.spark.shuffle.rdma.metrics.Counter;
import org.apache.spark.shuffle.rdma.metrics.Counters;

/**
 * The outputs of one shuffle at one executor, or at several that have the same: files with holes
 * instead of data, registered by the real registry, published to a real directory. It's also the
 * way to that directory.
 */
public final class ServedOutputs implements AutoCloseable, DirectoryTransport {

  public static final String EXECUTOR = "1";
  public static final int SHUFFLE = 0;

  /** As many as one process may map, less what it needs itself. */
  private static final int MAX_MAPPED = 60_000;

  private final Path folder;
  private final List<String> executors;
  private final Counters counters = new Counters();
  private final Directory directory = new Directory();
  private final List<Path> files = new ArrayList<>();
  private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
  private final OutputRegistry registry;

  /**
   * Registers and publishes.
   *
   * @param executors whose they are
   * @param outputs map ids are from 0 to here
   * @param partitions of each
   * @param blockBytes of each partition of each
   */
  public ServedOutputs(
      Fabric fabric, List<String> executors, int outputs, int partitions, int blockBytes)
      throws IOException {
    this.executors = List.copyOf(executors);
    folder = Files.createTempDirectory("bench-outputs-");
    directory.registerShuffle(SHUFFLE);
    for (String executor : executors) {
      directory.hello(
          new Message.Hello(executor, fabric.name(), fabric.address(), Codec.PROTOCOL_VERSION));
    }
    registry =
        new OutputRegistry(
            fabric,
            new PinBudget(PinBudget.UNLIMITED, PinBudget.UNLIMITED, counters),
            LocalDirectories.probe(List.of(folder), fabric),
            counters,
            timer,
            new OutputRegistry.Limits(MAX_MAPPED, 0),
            System::nanoTime,
            new Publisher());
    try {
      register(outputs, partitions, blockBytes);
    } catch (IOException | RuntimeException e) {
      try {
        close();
      } catch (IOException | RuntimeException second) {
        e.addSuppressed(second);
      }
      throw e;
    }
  }

  private void register(int outputs, int partitions, int blockBytes) throws IOException {
    long[] lengths = new long[partitions];
    Arrays.fill(lengths, blockBytes);
    for (int mapId = 0; mapId < outputs; mapId++) {
      Path file = folder.resolve("shuffle_0_" + mapId + "_0.data");
      files.add(file);
      try (RandomAccessFile made = new RandomAccessFile(file.toFile(), "rw")) {
        made.setLength((long) partitions * blockBytes);
      }
      if (registry.register(SHUFFLE, mapId, file, lengths) == null) {
        throw new IOException(file + " wasn't registered");
      }
    }
  }

  /** Regions that are registered for these outputs. */
  public long regions() {
    return counters.get(Counter.REGIONS_LIVE);
  }

  @Override
  public boolean send(byte[] message) {
    return false;
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

  @Override
  public void close() throws IOException {
    registry.close();
    timer.shutdownNow();
    for (Path file : files) {
      Files.deleteIfExists(file);
    }
    Files.deleteIfExists(folder);
  }

  private final class Publisher implements OutputRegistry.Publisher {
    @Override
    public void published(OutputLocation location) {
      executors.forEach(executor -> directory.publish(executor, List.of(location)));
    }

    @Override
    public void absent(int shuffleId, Absence absence, long... mapIds) {
      throw new IllegalStateException("an output is absent: " + absence);
    }
  }
}
