package org.apache.spark.shuffle.rdma;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
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
import org.apache.spark.shuffle.rdma.memory.Absence;
import org.apache.spark.shuffle.rdma.memory.BufferPool;
import org.apache.spark.shuffle.rdma.memory.LocalDirectories;
import org.apache.spark.shuffle.rdma.memory.MemoryPlan;
import org.apache.spark.shuffle.rdma.memory.OutputLocation;
import org.apache.spark.shuffle.rdma.memory.OutputRegistry;
import org.apache.spark.shuffle.rdma.memory.PinBudget;
import org.apache.spark.shuffle.rdma.metrics.Counter;
import org.apache.spark.shuffle.rdma.metrics.CounterSource;
import org.apache.spark.shuffle.rdma.metrics.Counters;
import org.apache.spark.shuffle.rdma.metrics.FallbackReason;
import org.apache.spark.util.RpcUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What an executor has: its fabric, its registered outputs, its buffers, and the engine that
 * fetches from others. Made with the manager and closed with it. Any thread may call.
 */
final class ExecutorShuffle implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(ExecutorShuffle.class);

  /** How long a slab of the buffer pool lies unused before it goes back, at least. */
  private static final long TRIM_SECONDS = 60;

  final Counters counters = new Counters();

  /** What close() closes, the last one made first. */
  private final Deque<AutoCloseable> owned = new ArrayDeque<>();

  private final IndexShuffleBlockResolver resolver;
  private final SparkEnv env;
  final OutputRegistry outputs;
  private final LocationCache locations;
  private final FetchEngine engine;
  private final DirectoryClient directory;
  private final StatusReports reports;
  private final ExecutorService fallbacks;
  private final AtomicBoolean refusalLogged = new AtomicBoolean();

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
      MemoryPlan memory = Memory.plan(conf, env.conf(), fabric);
      // Its own: a release may have to wait for a peer's read, deadlines must not.
      ScheduledExecutorService releases = timer("rdma-release");
      outputs =
          own(
              new OutputRegistry(
                  fabric,
                  new PinBudget(memory.outputBytes(), memory.slabBytes(), counters),
                  LocalDirectories.probe(localDirectories(env), fabric),
                  counters,
                  releases,
                  new OutputRegistry.Limits(
                      conf.integer(ConfKey.MAX_MAPPED_OUTPUTS),
                      // From a validation on: the page's list, then the data's, each outstanding
                      // for a timeout and found late up to a tenth of it later, and room for
                      // pauses.
                      lease + readTimeout * 5 / 2),
                  System::nanoTime,
                  publisher()));
      BufferPool pool = own(new BufferPool(fabric, counters, memory.poolBytes()));
      var _ =
          releases.scheduleWithFixedDelay(pool::trim, TRIM_SECONDS, TRIM_SECONDS, TimeUnit.SECONDS);
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
      directory.hello(fabric.name(), fabric.address(), helloMillis(env.conf()));
      reports = new StatusReports(directory, counters, fabric, memory, engine::openConnections);
      // At once, so that the driver's page has this executor before its first task.
      reports.send();
      CounterSource source = new CounterSource(counters::snapshot);
      env.metricsSystem().registerSource(source);
      owned.push(() -> env.metricsSystem().removeSource(source));
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
      var _ =
          outputs.register(
              shuffleId, mapId, resolver.getDataFile(shuffleId, mapId).toPath(), lengths);
      reports.send();
    } catch (Throwable t) {
      counters.errors().add("", FallbackReason.NOT_REGISTERED, t.toString(), System.nanoTime());
      if (refusalLogged.compareAndSet(false, true)) {
        LOG.warn(
            "Map output {} of shuffle {} isn't registered, so its blocks go by TCP; more such are"
                + " counted ({}) and logged at level debug",
            mapId,
            shuffleId,
            Counter.OUTPUTS_NOT_REGISTERED.label(),
            t);
      } else {
        LOG.debug("Map output {} of shuffle {} isn't registered", mapId, shuffleId, t);
      }
    }
  }

  private OutputRegistry.Publisher publisher() {
    return new OutputRegistry.Publisher() {
      @Override
      public void published(OutputLocation location) {
        directory.publish(location);
      }

      @Override
      public void absent(int shuffleId, Absence absence, long... mapIds) {
        directory.absent(shuffleId, absence, mapIds);
      }
    };
  }

  /**
   * As long as Spark's own asks at an executor's start: until the driver answers, no task comes
   * that could be kept waiting, and who gives up is a plain sort shuffle for as long as it lives.
   */
  private static long helloMillis(SparkConf conf) {
    return RpcUtils.askRpcTimeout(conf).duration().toMillis();
  }

  private static List<Path> localDirectories(SparkEnv env) {
    return Arrays.stream(env.blockManager().diskBlockManager().localDirs())
        .map(File::toPath)
        .toList();
  }

  /** A task of this executor begins to read a shuffle; it calls the result when it ends. */
  Runnable reading(int shuffleId) {
    boolean counted = outputs.used(shuffleId);
    return () -> {
      if (counted) {
        outputs.unused(shuffleId);
      }
      reports.send();
    };
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
    counters.shuffles().forget(shuffleId);
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
}
