package org.sparkrdma.suites;

import org.apache.spark.SparkConf;
import org.apache.spark.SparkContext;
import org.apache.spark.sql.classic.SparkSession$;
import org.apache.spark.sql.test.TestSparkSession;

/** The session of SQL suites, with executors of their own: Spark runs them in local mode. */
final class LocalClusterSession {

  private LocalClusterSession() {}

  static TestSparkSession of(SparkConf conf) {
    SparkSession$.MODULE$.cleanupAnyExistingSession();
    return new TestSparkSession(
        new SparkContext(
            "local-cluster[2,1,1024]", "test-sql-context", conf.set("spark.sql.testkey", "true")));
  }
}
