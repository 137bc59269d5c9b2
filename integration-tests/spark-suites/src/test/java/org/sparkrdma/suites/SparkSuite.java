package org.sparkrdma.suites;

import java.util.Arrays;
import java.util.List;
import org.apache.spark.DistributedSuite;
import org.apache.spark.JobCancellationSuite;
import org.apache.spark.scheduler.WorkerDecommissionExtendedSuite;
import org.apache.spark.storage.BlockManagerDecommissionIntegrationSuite;

/** The suites, and what is known of each. */
enum SparkSuite {
  SHUFFLE(RdmaShuffleSuite.class, Reads.SOME),
  /**
   * Its SPARK-46957 waits half a minute for files of a shuffle that nothing refers to any more, and
   * fails with Spark's own manager too if the driver collects garbage meanwhile.
   */
  BLOCK_MANAGER_DECOMMISSION(
      BlockManagerDecommissionIntegrationSuite.class,
      Reads.SOME,
      "-Dspark.cleaner.referenceTracking=false"),
  EXTERNAL_SHUFFLE_SERVICE(RdmaExternalShuffleServiceSuite.class, Reads.SOME),
  WORKER_DECOMMISSION(WorkerDecommissionExtendedSuite.class, Reads.SOME),
  DISTRIBUTED(DistributedSuite.class, Reads.SOME),
  CONTEXT_CLEANER(RdmaContextCleanerSuite.class, Reads.SOME),
  /** Its jobs on several executors have no shuffle, and those with a shuffle are in local mode. */
  JOB_CANCELLATION(JobCancellationSuite.class, Reads.NONE),
  ADAPTIVE_QUERY(RdmaAdaptiveQueryExecSuite.class, Reads.SOME),
  JOIN(RdmaJoinSuite.class, Reads.SOME);

  /** Whether blocks must come by READ. */
  enum Reads {
    SOME,
    NONE
  }

  /** Those that run without a profile. */
  private static final List<SparkSuite> DEFAULT = List.of(SHUFFLE, BLOCK_MANAGER_DECOMMISSION);

  final Class<?> scalaTest;
  final Reads reads;

  /** Options of the driver's JVM that this suite alone needs. */
  @SuppressWarnings("ImmutableEnumChecker") // List.of makes no other.
  final List<String> javaOptions;

  SparkSuite(Class<?> scalaTest, Reads reads, String... javaOptions) {
    this.scalaTest = scalaTest;
    this.reads = reads;
    this.javaOptions = List.of(javaOptions);
  }

  /**
   * The suites that the build asks for.
   *
   * @param selection {@code default}, {@code all}, or names separated by commas
   * @throws IllegalArgumentException for a name that no suite has
   */
  static List<SparkSuite> selected(String selection) {
    return switch (selection) {
      case "default" -> DEFAULT;
      case "all" -> List.of(values());
      default -> Arrays.stream(selection.split(",")).map(SparkSuite::valueOf).toList();
    };
  }
}
