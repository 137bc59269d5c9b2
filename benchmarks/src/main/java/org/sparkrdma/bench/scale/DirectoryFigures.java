package org.sparkrdma.bench.scale;

import java.lang.ref.Reference;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.apache.spark.shuffle.rdma.location.Codec;
import org.apache.spark.shuffle.rdma.location.Directory;
import org.apache.spark.shuffle.rdma.location.DirectoryTransport;
import org.apache.spark.shuffle.rdma.location.LocationCache;
import org.apache.spark.shuffle.rdma.location.MalformedMessageException;
import org.apache.spark.shuffle.rdma.location.Message;
import org.apache.spark.shuffle.rdma.memory.OutputLocation;
import org.apache.spark.shuffle.rdma.metrics.Counters;

/** The real directory and the real cache, with messages as bytes but nothing between them. */
final class DirectoryFigures {

  private static final double NANOS_PER_SECOND = 1e9;
  private static final double NANOS_PER_MILLI = 1e6;
  private static final double BYTES_PER_MEGABYTE = 1e6;
  private static final long TIMEOUT_MILLIS = 60_000;

  /** So many entries are counted at least, in tables of their own: a few are lost in the noise. */
  private static final int COUNTED_ENTRIES = 100_000;

  private final int outputs;
  private final SimulatedApplication application = new SimulatedApplication(ScaleCases.EXECUTORS);
  private final List<byte[]> publications = new ArrayList<>();
  private final List<OutputLocation> published = new ArrayList<>();

  DirectoryFigures(int outputs) {
    this.outputs = outputs;
    for (int i = 0; i < outputs; i++) {
      int writer = application.writer(i);
      OutputLocation location = application.write(writer);
      published.add(location);
      publications.add(
          Codec.encode(
              new Message.Publish(SimulatedApplication.executorId(writer), List.of(location))));
    }
  }

  void measure(MeasureScaleCommand.Figures figures) throws Exception {
    ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
    try {
      measure(figures, timer);
    } finally {
      timer.shutdownNow();
    }
  }

  private void measure(MeasureScaleCommand.Figures figures, ScheduledExecutorService timer)
      throws Exception {
    int copies = Math.max(1, COUNTED_ENTRIES / outputs);
    List<Directory> directories = new ArrayList<>();
    for (int i = 0; i < copies; i++) {
      Directory directory = new Directory();
      directory.registerShuffle(SimulatedApplication.SHUFFLE);
      for (int e = 0; e < application.executors(); e++) {
        directory.hello(application.hello(e));
      }
      directories.add(directory);
    }
    long members = Meter.heapBytes();
    long start = Meter.threadNanos();
    for (Directory directory : directories) {
      take(directory);
    }
    long taken = Meter.threadNanos() - start;
    figures.add(ScaleCases.take(outputs), taken / NANOS_PER_SECOND / copies);
    Lookups first = new Lookups(directories.getFirst(), timer);
    long started = System.nanoTime();
    first.locate(published.getLast());
    figures.add(
        ScaleCases.lookupMillis(outputs), (double) (System.nanoTime() - started) / NANOS_PER_MILLI);
    figures.add(ScaleCases.lookupBytes(outputs), (double) first.bytes);
    List<Lookups> caches = new ArrayList<>(List.of(first));
    for (Directory directory : directories.subList(1, copies)) {
      Lookups lookups = new Lookups(directory, timer);
      lookups.locate(published.getLast());
      caches.add(lookups);
    }
    try {
      long all = Meter.heapBytes();
      first.forget();
      caches.forEach(Lookups::forget);
      long without = Meter.heapBytes();
      figures.add(
          ScaleCases.cacheMegabytes(outputs),
          (double) (all - without) / copies / BYTES_PER_MEGABYTE);
      figures.add(ScaleCases.entryBytes(outputs), (double) (without - members) / copies / outputs);
      retry(figures, directories.getFirst(), timer);
    } finally {
      Reference.reachabilityFence(directories);
    }
  }

  private void take(Directory directory) throws MalformedMessageException {
    for (byte[] publication : publications) {
      Message.Publish publish = (Message.Publish) Codec.decode(publication);
      if (directory.publish(publish.executorId(), publish.locations()) != 1) {
        throw new IllegalStateException("a publication was refused");
      }
    }
  }

  /** An executor is lost, and another one makes its outputs again. */
  private void retry(
      MeasureScaleCommand.Figures figures, Directory directory, ScheduledExecutorService timer)
      throws Exception {
    Lookups lookups = new Lookups(directory, timer);
    lookups.locate(published.getLast());
    lookups.bytes = 0;
    directory.executorLost(SimulatedApplication.executorId(0));
    OutputLocation again = published.getFirst();
    for (int i = 0; i < Math.max(1, outputs / application.executors()); i++) {
      again = application.write(1);
      directory.publish(SimulatedApplication.executorId(1), List.of(again));
    }
    long started = System.nanoTime();
    lookups.locate(again, 1);
    figures.add(
        ScaleCases.retryMillis(outputs), (double) (System.nanoTime() - started) / NANOS_PER_MILLI);
    figures.add(ScaleCases.retryBytes(outputs), (double) lookups.bytes);
  }

  /** An executor's copy of the directory, and the bytes that it was sent. */
  private final class Lookups implements DirectoryTransport {
    private final Directory directory;
    private final LocationCache cache;
    private long bytes;

    Lookups(Directory directory, ScheduledExecutorService timer) {
      this.directory = directory;
      this.cache = new LocationCache(this, new Counters(), () -> 0, TIMEOUT_MILLIS, timer);
    }

    void locate(OutputLocation last) {
      locate(last, application.writer(outputs - 1));
    }

    void locate(OutputLocation last, int executor) {
      LocationCache.Located located =
          cache
              .locate(
                  SimulatedApplication.executorId(executor),
                  SimulatedApplication.SHUFFLE,
                  new long[] {last.mapId()})
              .join();
      if (!last.equals(located.outputs()[0])) {
        throw new IllegalStateException("the cache doesn't know the last output");
      }
    }

    void forget() {
      cache.unregisterShuffle(SimulatedApplication.SHUFFLE);
    }

    @Override
    public boolean send(byte[] message) {
      return false;
    }

    @Override
    public CompletableFuture<byte[]> ask(byte[] message, long timeoutMillis) {
      try {
        Message.Lookup lookup = (Message.Lookup) Codec.decode(message);
        byte[] reply = directory.lookup(lookup.shuffleId(), lookup.haveVersion());
        bytes += reply.length;
        return CompletableFuture.completedFuture(reply);
      } catch (MalformedMessageException e) {
        return CompletableFuture.failedFuture(e);
      }
    }
  }
}
