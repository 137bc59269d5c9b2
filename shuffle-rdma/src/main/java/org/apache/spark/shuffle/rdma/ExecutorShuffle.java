package org.apache.spark.shuffle.rdma;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.shuffle.IndexShuffleBlockResolver;
import org.apache.spark.shuffle.rdma.conf.ConfKey;
import org.apache.spark.shuffle.rdma.conf.RdmaConf;
import org.apache.spark.shuffle.rdma.fabric.Fabric;
import org.apache.spark.shuffle.rdma.fetch.FetchEngine;
import org.apache.spark.shuffle.rdma.fetch.FetchOptions;
import org.apache.spark.shuffle.rdma.location.DirectoryClient;
import org.apache.spark.shuffle.rdma.location.LocationCache;
import org.apache.spark.shuffle.rdma.location.RpcDirectoryTransport;
import org.apache.spark.shuffle.rdma.memory.BufferPool;
import org.apache.spark.shuffle.rdma.memory.OutputLocation;
import org.apache.spark.shuffle.rdma.memory.OutputRegistry;
import org.apache.spark.shuffle.rdma.metrics.CounterSnapshot;
import org.apache.spark.shuffle.rdma.metrics.Counters;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What an executor has: its fabric, its registered outputs, its buffers, and the engine that
 * fetches from others. Made with the manager and closed with it. Any thread may call.
 */
final class ExecutorShuffle implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(ExecutorShuffle.class);

  private final Counters counters = new Counters();

  /** What close() closes, the last one made first. */
  private final Deque<AutoCloseable> owned = new ArrayDeque<>();

  private CounterSnapshot reported = CounterSnapshot.zero();
  private final IndexShuffleBlockResolver resolver;
  private final SparkEnv env;
  final OutputRegistry outputs;
  private final LocationCache locations;
  private final FetchEngine engine;
  private final DirectoryClient directory;
  private final ExecutorService fallbacks;

  /**
   * Starts everything and says hello to the driver's directory.
   *
   * @throws IOException if the fabric can't be had or the directory doesn't answer; all that was
   *     started is closed then
   */
  ExecutorShuffle(RdmaConf conf, SparkEnv env, IndexShuffleBlockResolver resolver)
      throws IOException {
    this.resolver = resolver;
    this.env = env;
    try {
      RpcDirectoryTransport transport = RpcDirectoryTransport.toDriver(env.conf(), env.rpcEnv());
      directory = new DirectoryClient(transport, counters, env.executorId());
      ScheduledThreadPoolExecutor timer = timer("rdma-timer");
      fallbacks = Executors.newVirtualThreadPerTaskExecutor();
      owned.push(fallbacks::shutdown);
      Fabric fabric = own(Fabrics.start(conf, env));
      long readTimeout = conf.number(ConfKey.READ_TIMEOUT_MILLIS);
      long lease = conf.number(ConfKey.LEASE_MILLIS);
      outputs =
          own(
              new OutputRegistry(
                  fabric,
                  counters,
                  // Its own: a release may have to wait for a peer's read, deadlines must not.
                  timer("rdma-release"),
                  conf.integer(ConfKey.MAX_MAPPED_OUTPUTS),
                  // From a validation on: the page's list, then the data's, each outstanding for
                  // a timeout and found late up to a tenth of it later, and room for pauses.
                  lease + readTimeout * 5 / 2,
                  directory::retire));
      BufferPool pool = own(new BufferPool(fabric, counters, poolBytes(conf, env.conf())));
      // Closed before the memory that its reads write into; a second close does nothing.
      owned.push(fabric);
      locations =
          new LocationCache(
              transport,
              counters,
              () -> env.mapOutputTracker().epoch(),
              conf.number(ConfKey.LOOKUP_TIMEOUT_MILLIS),
              timer);
      FetchOptions options =
          new FetchOptions(
              lease,
              readTimeout,
              conf.number(ConfKey.BACKOFF_MILLIS),
              conf.number(ConfKey.PAGE_CACHE_BYTES));
      engine =
          own(
              new FetchEngine(
                  fabric,
                  locations,
                  pool,
                  counters,
                  options,
                  timer,
                  fallbacks,
                  System::nanoTime,
                  new Random()));
      directory.hello(fabric.name(), fabric.address(), conf.number(ConfKey.LOOKUP_TIMEOUT_MILLIS));
    } catch (IOException | RuntimeException | LinkageError e) {
      closeOwned();
      throw e;
    }
  }

  /**
   * Registers and publishes a committed output. Nothing that goes wrong here fails the map task.
   */
  void publish(int shuffleId, long mapId, long[] lengths) {
    try {
      OutputLocation location =
          outputs.register(
              shuffleId, mapId, resolver.getDataFile(shuffleId, mapId).toPath(), lengths);
      if (location != null) {
        directory.publish(location);
      }
      report();
    } catch (Throwable t) {
      LOG.warn(
          "Map output {} of shuffle {} isn't registered, so its blocks go by TCP",
          mapId,
          shuffleId,
          t);
    }
  }

  /**
   * Sends the counters to the driver, unless they are what was sent last. They arrive before what
   * the task reports next, and never after newer ones: hence one at a time.
   */
  synchronized void report() {
    CounterSnapshot snapshot = counters.snapshot();
    if (!snapshot.equals(reported) && directory.report(snapshot)) {
      reported = snapshot;
    }
  }

  /** A block store client for one reduce task. */
  RdmaBlockStoreClient newClient() {
    return new RdmaBlockStoreClient(
        engine, env.blockManager().blockStoreClient(), counters, fallbacks);
  }

  void unregisterShuffle(int shuffleId) {
    outputs.unregisterShuffle(shuffleId);
    locations.unregisterShuffle(shuffleId);
    engine.unregisterShuffle(shuffleId);
  }

  @Override
  public void close() {
    LOG.info("RDMA shuffle of executor {}: {}", env.executorId(), counters.snapshot());
    closeOwned();
  }

  private void closeOwned() {
    while (!owned.isEmpty()) {
      AutoCloseable last = owned.pop();
      try {
        last.close();
      } catch (Exception e) {
        LOG.warn("Couldn't close {}", last, e);
      }
    }
  }

  private <T extends AutoCloseable> T own(T resource) {
    owned.push(resource);
    return resource;
  }

  private ScheduledThreadPoolExecutor timer(String name) {
    ScheduledThreadPoolExecutor timer =
        new ScheduledThreadPoolExecutor(1, Thread.ofPlatform().daemon().name(name).factory());
    timer.setRemoveOnCancelPolicy(true);
    owned.push(timer::shutdownNow);
    return timer;
  }

  /** Cores x maxSizeInFlight x 1.25: what all tasks together hold, and room for rounding. */
  private static long poolBytes(RdmaConf conf, SparkConf spark) {
    long set = conf.number(ConfKey.BUFFER_POOL_BYTES);
    if (set > 0) {
      return set;
    }
    long cores = spark.getInt("spark.executor.cores", Runtime.getRuntime().availableProcessors());
    long inFlight = spark.getSizeAsMb("spark.reducer.maxSizeInFlight", "48m") << 20;
    return cores * inFlight * 5 / 4;
  }
}
