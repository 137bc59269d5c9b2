package org.sparkrdma.suites;

import org.apache.spark.sql.execution.adaptive.AdaptiveQueryExecSuite;
import org.apache.spark.sql.test.TestSparkSession;

/**
 * Adaptive execution reads shuffles in ways of its own: parts of partitions, and several at once.
 */
public final class RdmaAdaptiveQueryExecSuite extends AdaptiveQueryExecSuite {

  @Override
  public TestSparkSession createSparkSession() {
    return LocalClusterSession.of(sparkConf());
  }
}
