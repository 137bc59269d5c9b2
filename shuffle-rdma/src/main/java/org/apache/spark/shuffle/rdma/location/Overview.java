package org.apache.spark.shuffle.rdma.location;

import java.util.List;
import org.apache.spark.shuffle.rdma.metrics.CounterSnapshot;
import org.apache.spark.shuffle.rdma.metrics.ExecutorStatus;
import org.apache.spark.shuffle.rdma.metrics.FetchError;
import org.apache.spark.shuffle.rdma.metrics.ShuffleReads;
import org.jspecify.annotations.Nullable;

/**
 * What the driver knows of executors and shuffles at one moment, for people.
 *
 * @param total the counters of all executors that there ever were
 * @param executors live ones in the order of their hello, then lost ones, the last one lost first
 * @param shuffles the newest first
 * @param moreShuffles registered ones, older than those, that aren't among them
 */
public record Overview(
    CounterSnapshot total, List<Executor> executors, List<Shuffle> shuffles, int moreShuffles) {

  /** Most shuffles in an overview. */
  public static final int MAX_SHUFFLES = 200;

  /**
   * An executor.
   *
   * @param fabric the name of its fabric
   * @param status what it said of itself last, without news; null until its first report
   * @param errors its latest, oldest first
   */
  public record Executor(
      String id,
      boolean live,
      String fabric,
      @Nullable ExecutorStatus status,
      CounterSnapshot counters,
      List<SeenError> errors) {}

  /**
   * An executor's error.
   *
   * @param atMillis when it was seen last, on the driver's clock, since the epoch
   */
  public record SeenError(long atMillis, FetchError error) {}

  /**
   * A registered shuffle.
   *
   * @param outputs map outputs published until now, those published again included
   * @param outputBytes bytes of them
   */
  public record Shuffle(int id, long outputs, long outputBytes, ShuffleReads reads) {}
}
