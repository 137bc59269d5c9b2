package org.apache.spark.shuffle.rdma;

import java.util.List;
import java.util.Objects;
import org.apache.spark.SparkEnv;
import org.jspecify.annotations.NullMarked;

/** Lets a task of a test retire outputs of the executor that it runs on, as a budget will. */
@NullMarked
public final class Retirement {

  private Retirement() {}

  /** Retires those of these map outputs that this executor has. */
  public static void retireHere(int shuffleId, List<Long> mapIds) {
    RdmaShuffleManager manager = (RdmaShuffleManager) SparkEnv.get().shuffleManager();
    OneSidedShuffleManager active = Objects.requireNonNull(manager.oneSided());
    Objects.requireNonNull(active.executor).outputs.retire(shuffleId, mapIds);
  }
}
