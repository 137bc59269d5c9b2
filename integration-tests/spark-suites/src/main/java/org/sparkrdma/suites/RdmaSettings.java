package org.sparkrdma.suites;

import org.apache.spark.SparkConf;

/** The settings under test, which a suite's JVM has as system properties. */
final class RdmaSettings {

  private RdmaSettings() {}

  /**
   * For a suite that makes a SparkConf without defaults, which therefore doesn't see system
   * properties.
   */
  static void addTo(SparkConf conf) {
    for (String key : System.getProperties().stringPropertyNames()) {
      if (key.startsWith("spark.shuffle.") || key.startsWith("spark.ex")) {
        conf.set(key, System.getProperty(key));
      }
    }
  }
}
