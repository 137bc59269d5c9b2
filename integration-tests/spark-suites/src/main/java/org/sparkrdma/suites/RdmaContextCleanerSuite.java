package org.sparkrdma.suites;

import org.apache.spark.ContextCleanerSuite;
import org.apache.spark.shuffle.rdma.RdmaShuffleManager;

/** Spark's suite of what is cleaned up once the driver doesn't refer to it any more. */
public final class RdmaContextCleanerSuite extends ContextCleanerSuite {

  /**
   * Its one test on executors has two of one core. The test doesn't wait for the second, so its
   * jobs could all run on the first, and nothing would be remote.
   */
  @Override
  public void beforeAll() {
    super.beforeAll();
    System.setProperty("spark.cores.max", "2");
    System.setProperty("spark.scheduler.minRegisteredResourcesRatio", "1");
  }

  @Override
  public Class<?> shuffleManager() {
    return RdmaShuffleManager.class;
  }
}
