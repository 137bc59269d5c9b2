package org.apache.spark.shuffle.rdma;

import org.apache.spark.SparkConf;
import org.apache.spark.internal.config.ConfigEntry;
import org.apache.spark.internal.config.package$;
import org.apache.spark.resource.ResourceProfile$;
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
    boolean yarn = spark.get("spark.master", "").startsWith("yarn");
    return new MemoryPlan.Inputs(
        conf.number(ConfKey.MAX_PINNED_BYTES),
        poolWish(conf, spark),
        fabric.pins(),
        yarn,
        Runtime.getRuntime().maxMemory(),
        otherBytes(spark),
        askedBytes(spark),
        host.system(),
        host.limited(),
        host.memlock());
  }

  /** What Spark itself takes besides the heap and the overhead. */
  private static long otherBytes(SparkConf spark) {
    long python = spark.getSizeAsMb("spark.executor.pyspark.memory", "0") << 20;
    return spark.getBoolean("spark.memory.offHeap.enabled", false)
        ? python + spark.getSizeAsBytes("spark.memory.offHeap.size", "0")
        : python;
  }

  /**
   * The container that Spark asks YARN or Kubernetes for, reckoned as by its ResourceProfile; 0
   * where nobody is asked.
   */
  static long askedBytes(SparkConf spark) {
    String master = spark.get("spark.master", "");
    if (!master.startsWith("yarn") && !master.startsWith("k8s")) {
      return 0;
    }
    package$ keys = package$.MODULE$;
    long executorMib = (long) get(spark, keys.EXECUTOR_MEMORY());
    long overheadMib =
        ResourceProfile$.MODULE$.calculateOverHeadMemory(
            spark.get(keys.EXECUTOR_MEMORY_OVERHEAD()),
            (long) get(spark, keys.EXECUTOR_MIN_MEMORY_OVERHEAD()),
            executorMib,
            (double) get(spark, keys.EXECUTOR_MEMORY_OVERHEAD_FACTOR()));
    return ((executorMib + overheadMib) << 20) + otherBytes(spark);
  }

  private static Object get(SparkConf spark, ConfigEntry<?> key) {
    return spark.get(key);
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
