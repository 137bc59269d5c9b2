package org.sparkrdma.suites;

import org.apache.spark.sql.JoinSuite;
import org.apache.spark.sql.test.TestSparkSession;

/** Joins of all kinds, of which most shuffle both sides. */
public final class RdmaJoinSuite extends JoinSuite {

  @Override
  public TestSparkSession createSparkSession() {
    return LocalClusterSession.of(sparkConf());
  }
}
