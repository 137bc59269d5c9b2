package org.apache.spark.shuffle.rdma.memory;

import org.apache.spark.shuffle.rdma.metrics.FallbackReason;

/** Why an output that its executor has can't be read there. */
public enum Absence {
  RETIRED(FallbackReason.REGION_RETIRED),
  OVER_BUDGET(FallbackReason.OVER_BUDGET),
  NOT_REGISTERED(FallbackReason.NOT_REGISTERED);

  private final FallbackReason reason;

  Absence(FallbackReason reason) {
    this.reason = reason;
  }

  /** What its blocks are counted under by who wants them. */
  public FallbackReason reason() {
    return reason;
  }
}
