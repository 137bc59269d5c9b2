package org.sparkrdma.bench.fetch;

import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.SparkEnv$;
import org.apache.spark.scheduler.LiveListenerBus;
import scala.Option;

/**
 * A process's SparkEnv, made as a driver's or an executor's: its block manager serves and fetches
 * blocks with Spark's defaults. There's neither a SparkContext nor a task.
 */
final class SparkProcess {

  private static final String HOST = "127.0.0.1";
  private static final String APPLICATION = "bench-fetch";
  private static final int CORES = Runtime.getRuntime().availableProcessors();

  private SparkProcess() {}

  /** Its files go below the folder. */
  static SparkEnv driver(String folder) {
    SparkConf conf = conf().set("spark.driver.port", "0").set("spark.local.dir", folder);
    SparkEnv env =
        SparkEnv$.MODULE$.createDriverEnv(
            conf, false, new LiveListenerBus(conf), CORES, Option.empty());
    SparkEnv.set(env);
    // An executor's is there already.
    env.initializeMemoryManager(CORES);
    return initialize(env);
  }

  /** An executor of the driver that listens at this port. */
  static SparkEnv executor(int driverPort, String folder) {
    SparkConf conf =
        conf()
            .set("spark.driver.port", Integer.toString(driverPort))
            .set("spark.local.dir", folder)
            .set("spark.executor.id", "reader");
    return initialize(
        SparkEnv$.MODULE$.createExecutorEnv(
            conf, "reader", HOST, HOST, CORES, Option.empty(), false));
  }

  private static SparkConf conf() {
    return new SparkConf(false)
        .set("spark.app.id", APPLICATION)
        .set("spark.app.name", APPLICATION)
        .set("spark.driver.host", HOST)
        .set("spark.driver.bindAddress", HOST);
  }

  private static SparkEnv initialize(SparkEnv env) {
    env.initializeShuffleManager();
    env.blockManager().initialize(APPLICATION);
    return env;
  }
}
