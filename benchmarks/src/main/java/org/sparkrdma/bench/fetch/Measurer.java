package org.sparkrdma.bench.fetch;

import java.io.IOException;
import java.util.List;
import org.sparkrdma.bench.CpuClock;

/** Lets sources fetch a shuffle, checked or measured. One thread. */
final class Measurer {

  private final Server server;

  /** Nothing is measured yet. */
  Measurer(Server server) {
    this.server = server;
  }

  /** Fetches once, and compares every byte. */
  void check(BenchShuffle shuffle, List<FetchRequest> requests, BlockSource source)
      throws IOException, InterruptedException {
    long before = source.fetchedBlocks();
    Consumers.Checking consumer = new Consumers.Checking(shuffle);
    new WindowedReader(requests, source).read(consumer);
    checkWay(source, before, consumer.blocks());
  }

  /**
   * Fetches and measures.
   *
   * @param leastNanos how long that takes at least: the shuffle is fetched once or more
   */
  Figures measure(List<FetchRequest> requests, BlockSource source, long leastNanos)
      throws IOException, InterruptedException {
    long before = source.fetchedBlocks();
    Consumers.Copying consumer = new Consumers.Copying();
    long serverNanos = -server.cpuNanos();
    long clientNanos = -CpuClock.nanos();
    long start = System.nanoTime();
    long wallNanos;
    do {
      new WindowedReader(requests, source).read(consumer);
      wallNanos = System.nanoTime() - start;
    } while (wallNanos < leastNanos);
    clientNanos += CpuClock.nanos();
    serverNanos += server.cpuNanos();
    checkWay(source, before, consumer.blocks());
    return new Figures(consumer.bytes(), consumer.blocks(), wallNanos, clientNanos, serverNanos);
  }

  private static void checkWay(BlockSource source, long before, long blocks) throws IOException {
    long came = source.fetchedBlocks() - before;
    if (source.fetchedBlocks() >= 0 && came != blocks) {
      throw new IOException(
          "of "
              + blocks
              + " blocks "
              + came
              + " came the way that is measured: "
              + source.counted());
    }
  }
}
