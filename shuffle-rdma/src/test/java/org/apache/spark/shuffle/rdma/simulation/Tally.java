package org.apache.spark.shuffle.rdma.simulation;

import java.util.EnumMap;
import java.util.Map;
import org.apache.spark.shuffle.rdma.metrics.FallbackReason;

/** What happened, over one run or many. */
final class Tally {

  final Map<Fault, Long> faults = new EnumMap<>(Fault.class);
  final Map<FallbackReason, Long> reasons = new EnumMap<>(FallbackReason.class);
  long blocksByRead;
  long blocksByTcp;
  long blocksFailed;

  /** Fallbacks whose only right reason was known. */
  long reasonsForetold;

  /** Of the order of events: two runs of a seed must have the same. */
  long fingerprint;

  void add(Tally other) {
    other.faults.forEach((fault, count) -> faults.merge(fault, count, Long::sum));
    other.reasons.forEach((reason, count) -> reasons.merge(reason, count, Long::sum));
    blocksByRead += other.blocksByRead;
    blocksByTcp += other.blocksByTcp;
    blocksFailed += other.blocksFailed;
    reasonsForetold += other.reasonsForetold;
  }

  @Override
  public String toString() {
    return blocksByRead
        + " blocks by READ, "
        + blocksByTcp
        + " by TCP, "
        + blocksFailed
        + " failed as TCP failed; faults "
        + faults
        + "; reasons "
        + reasons
        + ", "
        + reasonsForetold
        + " of them foretold";
  }
}
