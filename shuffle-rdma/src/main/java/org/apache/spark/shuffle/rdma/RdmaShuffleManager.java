package org.apache.spark.shuffle.rdma;

import java.util.Map;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.SparkConf;
import org.apache.spark.TaskContext;
import org.apache.spark.shuffle.IndexShuffleBlockResolver;
import org.apache.spark.shuffle.ShuffleHandle;
import org.apache.spark.shuffle.ShuffleManager;
import org.apache.spark.shuffle.ShuffleReadMetricsReporter;
import org.apache.spark.shuffle.ShuffleReader;
import org.apache.spark.shuffle.ShuffleWriteMetricsReporter;
import org.apache.spark.shuffle.ShuffleWriter;
import org.apache.spark.shuffle.rdma.metrics.CounterSnapshot;
import org.apache.spark.shuffle.sort.SortShuffleManager;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Spark's sort shuffle with blocks fetched by one-sided READs: {@code
 * spark.shuffle.manager=org.apache.spark.shuffle.rdma.RdmaShuffleManager}.
 *
 * <p>Handles, writers, files and the resolver are the sort shuffle's own. Where reads can't be had
 * it is the sort shuffle, and the log has one line that says why. Spark makes one on the driver and
 * one on each executor, and calls it from any thread.
 *
 * <p>This class is compiled for Java 17 and touches no other of this project before it has looked
 * at the versions of Java and Spark, so that a cluster with older ones gets that line rather than a
 * class that can't be loaded. It's a {@link SortShuffleManager} since Spark asks for that, as to
 * whether rows must be copied.
 */
public final class RdmaShuffleManager extends SortShuffleManager {

  /** What the log says, with the reason, where this is the sort shuffle. */
  static final String PLAIN = "Plain sort shuffle without RDMA: {}";

  private static final Logger LOG = LoggerFactory.getLogger(RdmaShuffleManager.class);

  /** Null where this is the sort shuffle. Declared as an interface, which needs no class loaded. */
  private final @Nullable ShuffleManager oneSided;

  /**
   * As Spark makes it.
   *
   * @throws IllegalArgumentException for a configuration value that isn't allowed
   */
  public RdmaShuffleManager(SparkConf conf, boolean isDriver) {
    super(conf);
    String reason =
        reasonAgainst(
            Runtime.version().feature(), org.apache.spark.package$.MODULE$.SPARK_VERSION());
    if (reason == null) {
      oneSided = OneSidedShuffleManager.start(conf, isDriver);
    } else {
      oneSided = null;
      LOG.warn(PLAIN, reason);
    }
  }

  /** Why this can't be more than the sort shuffle on these versions; null if it can. */
  static @Nullable String reasonAgainst(int java, String spark) {
    if (!spark.startsWith("4.2.")) {
      return "this is Spark "
          + spark
          + ", and the seam to Spark is that of 4.2.x: take the release of this shuffle manager"
          + " that is for your Spark";
    }
    if (java < 25) {
      return "this is Java "
          + java
          + ", and reads need Java 25: start the driver and the executors with a JAVA_HOME of 25";
    }
    return null;
  }

  @Override
  public <K, V, C> ShuffleHandle registerShuffle(
      int shuffleId, ShuffleDependency<K, V, C> dependency) {
    return oneSided == null
        ? super.registerShuffle(shuffleId, dependency)
        : oneSided.registerShuffle(shuffleId, dependency);
  }

  @Override
  public <K, V> ShuffleWriter<K, V> getWriter(
      ShuffleHandle handle, long mapId, TaskContext context, ShuffleWriteMetricsReporter metrics) {
    return oneSided == null
        ? super.getWriter(handle, mapId, context, metrics)
        : oneSided.getWriter(handle, mapId, context, metrics);
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
    return oneSided == null
        ? super.getReader(
            handle, startMapIndex, endMapIndex, startPartition, endPartition, context, metrics)
        : oneSided.getReader(
            handle, startMapIndex, endMapIndex, startPartition, endPartition, context, metrics);
  }

  @Override
  public IndexShuffleBlockResolver shuffleBlockResolver() {
    return oneSided == null
        ? super.shuffleBlockResolver()
        : (IndexShuffleBlockResolver) oneSided.shuffleBlockResolver();
  }

  @Override
  public boolean unregisterShuffle(int shuffleId) {
    return oneSided == null
        ? super.unregisterShuffle(shuffleId)
        : oneSided.unregisterShuffle(shuffleId);
  }

  @Override
  public void stop() {
    if (oneSided == null) {
      super.stop();
    } else {
      oneSided.stop();
    }
  }

  /** On the driver: whether executors may use RDMA in this application. */
  public boolean isActive() {
    return oneSided != null;
  }

  /**
   * On the driver: the counters summed over all executors, as they were when each last ended a
   * task; by label. Empty where RDMA isn't used, and on executors.
   */
  public Map<String, Long> counters() {
    return oneSided == null ? Map.of() : ((OneSidedShuffleManager) oneSided).counters();
  }

  /** On the driver: the same by executor id. */
  public Map<String, CounterSnapshot> countersByExecutor() {
    return oneSided == null ? Map.of() : ((OneSidedShuffleManager) oneSided).countersByExecutor();
  }

  /** Null where this is the sort shuffle. */
  @Nullable OneSidedShuffleManager oneSided() {
    return (OneSidedShuffleManager) oneSided;
  }
}
