package org.apache.spark.shuffle.rdma.fetch;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.apache.spark.shuffle.rdma.fabric.Fabric;
import org.apache.spark.shuffle.rdma.location.LocationCache;
import org.apache.spark.shuffle.rdma.memory.BufferPool;
import org.apache.spark.shuffle.rdma.metrics.Counters;
import org.apache.spark.shuffle.rdma.metrics.FallbackReason;
import org.jspecify.annotations.Nullable;

/**
 * Fetches blocks by READ: locations, index pages, data, and the check that the data was still what
 * the page said; whatever can't go this way falls back, block by block, with its reason.
 *
 * <p>It has no thread of its own: work runs on the callers' threads, the fabric's, the timer's and
 * the given executor's, and time and chance come from outside, so that a test can drive it with a
 * seed. Any thread may call.
 */
public final class FetchEngine implements AutoCloseable {

  private static final long LIST_BYTES = 1 << 20;

  private final LocationCache locations;
  private final BufferPool pool;
  private final Counters counters;
  private final Executor continuations;
  private final LongSupplier nanoClock;
  private final PageCache pages;
  private final Peers peers;
  private final Deadlines deadlines;
  private final long leaseNanos;

  /**
   * An engine over what it's given; it closes none of it.
   *
   * @param timer for deadlines
   * @param continuations goes on with a request that had to wait; what it runs may copy a request's
   *     bytes
   * @param nanoClock as System.nanoTime
   * @param random for the jitter of pauses
   */
  public FetchEngine(
      Fabric fabric,
      LocationCache locations,
      BufferPool pool,
      Counters counters,
      FetchOptions options,
      ScheduledExecutorService timer,
      Executor continuations,
      LongSupplier nanoClock,
      RandomGenerator random) {
    this.locations = locations;
    this.pool = pool;
    this.counters = counters;
    this.continuations = continuations;
    this.nanoClock = nanoClock;
    this.pages = new PageCache(options.pageCacheBytes());
    this.peers =
        new Peers(
            fabric,
            counters,
            TimeUnit.MILLISECONDS.toNanos(options.backoffMillis()),
            nanoClock,
            random);
    this.deadlines = new Deadlines(options.readTimeoutMillis(), nanoClock, timer);
    this.leaseNanos = TimeUnit.MILLISECONDS.toNanos(options.leaseMillis());
  }

  /**
   * Fetches blocks of one executor. Each is settled once through the delivery, perhaps before this
   * returns. It waits for nobody, but where a fabric reads on the caller's thread, as the software
   * fabric does within a host, that thread does the copying.
   *
   * @param blocks kept until all are settled: not changed any more
   */
  public void fetch(String executorId, List<BlockRange> blocks, Delivery delivery) {
    // Spark asks for a shuffle's blocks, and for an output's one after another. Should it not, an
    // output stands here twice, which costs a second look at its page.
    int next = 0;
    while (next < blocks.size()) {
      int shuffleId = blocks.get(next).shuffleId();
      List<WantedOutput> outputs = new ArrayList<>(blocks.size() - next);
      while (next < blocks.size() && blocks.get(next).shuffleId() == shuffleId) {
        int end = endOfOutput(blocks, next);
        outputs.add(new WantedOutput(blocks, next, end));
        next = end;
      }
      new Request(this, executorId, shuffleId, outputs, delivery).start();
    }
  }

  private static int endOfOutput(List<BlockRange> blocks, int first) {
    BlockRange block = blocks.get(first);
    int end = first + 1;
    while (end < blocks.size()
        && blocks.get(end).mapId() == block.mapId()
        && blocks.get(end).shuffleId() == block.shuffleId()) {
      end++;
    }
    return end;
  }

  /** Forgets the pages of a shuffle that has ended. */
  public void unregisterShuffle(int shuffleId) {
    pages.unregisterShuffle(shuffleId);
  }

  /** Closes the connections, which ends all outstanding reads; their blocks fall back. */
  @Override
  public void close() {
    deadlines.close();
    peers.close();
  }

  /** Bytes that one list reads at the most, unless a single block or page is larger. */
  long listBytes() {
    return Math.min(LIST_BYTES, pool.topClassBytes());
  }

  /** Connections to peers that are open now. */
  public int openConnections() {
    return peers.open();
  }

  /** Remembers an error for who looks at this executor from the driver. */
  void noteError(String peer, FallbackReason reason, @Nullable String detail) {
    counters.errors().add(peer, reason, detail, nanoTime());
  }

  Executor continuations() {
    return continuations;
  }

  LocationCache locations() {
    return locations;
  }

  BufferPool pool() {
    return pool;
  }

  Counters counters() {
    return counters;
  }

  PageCache pages() {
    return pages;
  }

  Peers peers() {
    return peers;
  }

  Deadlines deadlines() {
    return deadlines;
  }

  long nanoTime() {
    return nanoClock.getAsLong();
  }

  long leaseNanos() {
    return leaseNanos;
  }
}
