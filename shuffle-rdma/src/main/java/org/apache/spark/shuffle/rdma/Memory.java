package org.apache.spark.shuffle.rdma;

import org.apache.spark.SparkConf;
import org.apache.spark.shuffle.rdma.conf.ConfKey;
import org.apache.spark.shuffle.rdma.conf.RdmaConf;
import org.apache.spark.shuffle.rdma.fabric.Fabric;
import org.apache.spark.shuffle.rdma.memory.HostMemory;
import org.apache.spark.shuffle.rdma.memory.MemoryPlan;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Finds out from Spark's configuration how much memory the shuffle of an executor may take. */
final class Memory {

  private static final Logger LOG = LoggerFactory.getLogger(Memory.class);

  /** Spark's defaults for what an executor takes besides its heap. */
  private static final long LEAST_OVERHEAD_MIB = 384;

  private static final double OVERHEAD_FACTOR = 0.1;

  private Memory() {}

  /** The plan; the log has its sum, and what should be changed. */
  static MemoryPlan plan(RdmaConf conf, SparkConf spark, Fabric fabric) {
    HostMemory host = HostMemory.read();
    MemoryPlan plan = MemoryPlan.of(inputs(conf, spark, fabric, host));
    LOG.info("Memory: {}", plan.sum());
    if (plan.warning() != null) {
      LOG.warn("{}", plan.warning());
    }
    return plan;
  }

  private static MemoryPlan.Inputs inputs(
      RdmaConf conf, SparkConf spark, Fabric fabric, HostMemory host) {
    String master = spark.get("spark.master", "");
    boolean yarn = master.startsWith("yarn");
    boolean asked = yarn || master.startsWith("k8s");
    long executor = spark.getSizeAsMb("spark.executor.memory", "1g");
    double factor = spark.getDouble("spark.executor.memoryOverheadFactor", OVERHEAD_FACTOR);
    long overhead =
        spark.getSizeAsMb(
            "spark.executor.memoryOverhead",
            Math.max(LEAST_OVERHEAD_MIB, (long) (executor * factor)) + "m");
    long other =
        spark.getSizeAsMb("spark.executor.pyspark.memory", "0")
            + (spark.getBoolean("spark.memory.offHeap.enabled", false)
                ? spark.getSizeAsBytes("spark.memory.offHeap.size", "0") >> 20
                : 0);
    return new MemoryPlan.Inputs(
        conf.number(ConfKey.MAX_PINNED_BYTES),
        poolWish(conf, spark),
        fabric.pins(),
        yarn,
        Runtime.getRuntime().maxMemory(),
        other << 20,
        asked ? (executor + overhead + other) << 20 : 0,
        host.system(),
        host.limited(),
        host.memlock());
  }

  /** Cores x maxSizeInFlight x 1.25: what all tasks together hold, and room for rounding. */
  private static long poolWish(RdmaConf conf, SparkConf spark) {
    long set = conf.number(ConfKey.BUFFER_POOL_BYTES);
    if (set > 0) {
      return set;
    }
    long cores = spark.getInt("spark.executor.cores", Runtime.getRuntime().availableProcessors());
    long inFlight = spark.getSizeAsMb("spark.reducer.maxSizeInFlight", "48m") << 20;
    return cores * inFlight * 5 / 4;
  }
}
