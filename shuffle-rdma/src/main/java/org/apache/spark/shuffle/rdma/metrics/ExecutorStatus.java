package org.apache.spark.shuffle.rdma.metrics;

import java.util.List;

/**
 * What an executor tells of itself besides its counters, for people.
 *
 * @param device what its fabric runs on, such as {@code mlx5_0 port 1}
 * @param address where it listens
 * @param pins whether memory that it registers is pinned
 * @param outputBudget bytes that map outputs and index pages may take; {@link Long#MAX_VALUE} if
 *     there's no limit
 * @param poolBudget bytes that the buffer pool may take
 * @param errors since the last report, oldest first
 * @param shuffles what was read since the last report
 */
public record ExecutorStatus(
    String device,
    String address,
    boolean pins,
    long outputBudget,
    long poolBudget,
    List<FetchError> errors,
    List<ShuffleReads> shuffles) {

  public ExecutorStatus {
    errors = List.copyOf(errors);
    shuffles = List.copyOf(shuffles);
  }

  /** The same with other news. */
  public ExecutorStatus with(List<FetchError> newErrors, List<ShuffleReads> newShuffles) {
    return new ExecutorStatus(
        device, address, pins, outputBudget, poolBudget, newErrors, newShuffles);
  }
}
