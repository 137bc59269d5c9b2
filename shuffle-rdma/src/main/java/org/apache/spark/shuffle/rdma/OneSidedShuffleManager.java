package org.apache.spark.shuffle.rdma;

import java.io.IOException;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.spark.MapOutputTracker;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.shuffle.BaseShuffleHandle;
import org.apache.spark.shuffle.IndexShuffleBlockResolver;
import org.apache.spark.shuffle.ShuffleHandle;
import org.apache.spark.shuffle.ShuffleManager;
import org.apache.spark.shuffle.ShuffleReadMetricsReporter;
import org.apache.spark.shuffle.ShuffleReader;
import org.apache.spark.shuffle.ShuffleWriteMetricsReporter;
import org.apache.spark.shuffle.ShuffleWriter;
import org.apache.spark.shuffle.rdma.conf.ConfKey;
import org.apache.spark.shuffle.rdma.conf.RdmaConf;
import org.apache.spark.shuffle.rdma.metrics.CounterSnapshot;
import org.apache.spark.shuffle.sort.BypassMergeSortShuffleHandle;
import org.apache.spark.shuffle.sort.SerializedShuffleHandle;
import org.apache.spark.shuffle.sort.SortShuffleManager;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.BlockManagerId;
import org.apache.spark.util.TaskCompletionListener;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.Tuple2;
import scala.Tuple3;
import scala.collection.Iterator;
import scala.collection.Seq;

/**
 * What {@link RdmaShuffleManager} is where blocks can be read: Spark's sort shuffle with another
 * reader, with map outputs that are registered, and with its bypass writer for fewer shuffles. Any
 * thread may call.
 */
final class OneSidedShuffleManager extends SortShuffleManager {

  private static final Logger LOG = LoggerFactory.getLogger(OneSidedShuffleManager.class);

  private static final String SPARKS_THRESHOLD = "spark.shuffle.sort.bypassMergeThreshold";

  /** Most partitions that the bypass writer writes. */
  private final int bypassMergeThreshold;

  private final RdmaBlockResolver resolver;
  private final @Nullable DriverShuffle driver;
  final @Nullable ExecutorShuffle executor;

  private OneSidedShuffleManager(SparkConf conf, RdmaConf rdma, boolean isDriver)
      throws IOException {
    super(conf);
    bypassMergeThreshold =
        conf.contains(SPARKS_THRESHOLD)
            ? Integer.MAX_VALUE
            : rdma.integer(ConfKey.BYPASS_MERGE_THRESHOLD);
    resolver =
        new RdmaBlockResolver(conf, rdma, super.shuffleBlockResolver().taskIdMapsForShuffle());
    if (isDriver) {
      driver = new DriverShuffle(SparkEnv.get());
      executor = null;
    } else {
      driver = null;
      executor = new ExecutorShuffle(rdma, SparkEnv.get(), resolver);
      resolver.publishBy(executor);
    }
  }

  /**
   * Starts the driver's or an executor's part. Where {@link Guards} or a failure forbid that, the
   * log has one line that says why.
   *
   * @return null if this application or executor has to do without
   * @throws IllegalArgumentException for a configuration value that isn't allowed
   */
  static @Nullable ShuffleManager start(SparkConf conf, boolean isDriver) {
    RdmaConf rdma = new RdmaConf(key -> conf.get(key, null));
    warnOfUnknownKeys(conf);
    String reason = Guards.reasonAgainst(conf, rdma);
    if (reason == null) {
      try {
        return new OneSidedShuffleManager(conf, rdma, isDriver);
      } catch (IOException | RuntimeException | LinkageError e) {
        reason = e.toString();
        LOG.debug("The start failed", e);
      }
    }
    LOG.warn(RdmaShuffleManager.PLAIN, reason);
    return null;
  }

  /** A misspelt key would be ignored without a word. */
  private static void warnOfUnknownKeys(SparkConf conf) {
    Set<String> known =
        Arrays.stream(ConfKey.values()).map(ConfKey::key).collect(Collectors.toSet());
    for (Tuple2<String, String> setting : conf.getAll()) {
      if (setting._1().startsWith(ConfKey.PREFIX) && !known.contains(setting._1())) {
        LOG.warn("{} isn't a key of this version: it has no effect", setting._1());
      }
    }
  }

  @Override
  public <K, V, C> ShuffleHandle registerShuffle(
      int shuffleId, ShuffleDependency<K, V, C> dependency) {
    if (driver != null) {
      driver.registerShuffle(shuffleId);
    }
    ShuffleHandle handle = super.registerShuffle(shuffleId, dependency);
    if (handle instanceof BypassMergeSortShuffleHandle
        && dependency.partitioner().numPartitions() > bypassMergeThreshold
        && SortShuffleManager.canUseSerializedShuffle(dependency)) {
      // Without aggregation on the map side, what is written is what came.
      @SuppressWarnings("unchecked")
      ShuffleDependency<K, V, V> plain = (ShuffleDependency<K, V, V>) dependency;
      return new SerializedShuffleHandle<>(shuffleId, plain);
    }
    return handle;
  }

  @Override
  public <K, V> ShuffleWriter<K, V> getWriter(
      ShuffleHandle handle, long mapId, TaskContext context, ShuffleWriteMetricsReporter metrics) {
    ShuffleWriter<K, V> spark = super.getWriter(handle, mapId, context, metrics);
    return executor == null ? spark : new RdmaShuffleWriter<>(spark, executor, handle.shuffleId());
  }

  @Override
  public <K, C> ShuffleReader<K, C> getReader(
      ShuffleHandle handle,
      int startMapIndex,
      int endMapIndex,
      int startPartition,
      int endPartition,
      TaskContext context,
      ShuffleReadMetricsReporter metrics) {
    if (executor == null) {
      return super.getReader(
          handle, startMapIndex, endMapIndex, startPartition, endPartition, context, metrics);
    }
    ExecutorShuffle here = executor;
    Runnable end = here.reading(handle.shuffleId());
    TaskCompletionListener ended = task -> end.run();
    context.addTaskCompletionListener(ended);
    @SuppressWarnings("unchecked")
    ShuffleDependency<K, ?, C> dependency = ((BaseShuffleHandle<K, ?, C>) handle).dependency();
    MapOutputTracker tracker = SparkEnv.get().mapOutputTracker();
    boolean batch = SortShuffleManager.canUseBatchFetch(startPartition, endPartition, context);
    Iterator<Tuple2<BlockManagerId, Seq<Tuple3<BlockId, Object, Object>>>> blocks;
    if (dependency.isShuffleMergeFinalizedMarked()) {
      var merged =
          tracker.getPushBasedShuffleMapSizesByExecutorId(
              handle.shuffleId(), startMapIndex, endMapIndex, startPartition, endPartition);
      blocks = merged.iter();
      batch &= merged.enableBatchFetch();
    } else {
      blocks =
          tracker.getMapSizesByExecutorId(
              handle.shuffleId(), startMapIndex, endMapIndex, startPartition, endPartition);
    }
    return new RdmaShuffleReader<>(dependency, blocks, context, metrics, here.newClient(), batch);
  }

  @Override
  public IndexShuffleBlockResolver shuffleBlockResolver() {
    return resolver;
  }

  @Override
  public boolean unregisterShuffle(int shuffleId) {
    if (driver != null) {
      driver.unregisterShuffle(shuffleId);
    }
    if (executor != null) {
      executor.unregisterShuffle(shuffleId);
    }
    return super.unregisterShuffle(shuffleId);
  }

  @Override
  public void stop() {
    if (driver != null) {
      driver.close();
    }
    if (executor != null) {
      executor.close();
    }
    super.stop();
  }

  Map<String, Long> counters() {
    return driver == null ? Map.of() : driver.counters().asMap();
  }

  Map<String, CounterSnapshot> countersByExecutor() {
    return driver == null ? Map.of() : driver.countersByExecutor();
  }
}
