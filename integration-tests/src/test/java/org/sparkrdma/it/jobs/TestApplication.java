package org.sparkrdma.it.jobs;

import java.io.Serializable;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.rdd.RDD;
import org.apache.spark.shuffle.rdma.RdmaShuffleManager;
import org.apache.spark.sql.SparkSession;
import org.sparkrdma.it.cluster.StandaloneCluster;

/**
 * A Spark application whose driver is this JVM: on two executors of the shared cluster with the
 * RDMA shuffle manager, or local with Spark's own sort shuffle to have something to compare with.
 */
final class TestApplication implements AutoCloseable {

  /**
   * The fabric of tests that don't choose one. Not auto: what a test asserts depends on it. {@code
   * KernelJobsIT} sets it for some.
   */
  static final String FABRIC = System.getProperty("sparkrdma.it.fabric", "software");

  private static final long DEADLINE_MILLIS = 120_000;

  final SparkSession session;
  final JavaSparkContext context;
  private final SparkReads reads = new SparkReads();

  private TestApplication(Map<String, String> conf) {
    SparkSession.Builder builder = SparkSession.builder().appName("test");
    conf.forEach(builder::config);
    session = builder.getOrCreate();
    context = JavaSparkContext.fromSparkContext(session.sparkContext());
    session.sparkContext().addSparkListener(reads);
  }

  /** Starts the manager under test on two executors of one core each. */
  static TestApplication withRdma(Map<String, String> settings) throws Exception {
    Map<String, String> conf = new LinkedHashMap<>(rdmaConf());
    if (!settings.containsKey("spark.master")) {
      String master = System.getProperty("sparkrdma.it.master");
      conf.put("spark.master", master == null ? SharedCluster.get().masterUrl() : master);
    }
    conf.put("spark.driver.host", "127.0.0.1");
    conf.put(
        "spark.jars",
        System.getProperty("sparkrdma.it.shuffleJar")
            + ","
            + System.getProperty("sparkrdma.it.testsJar")
            + ","
            + System.getProperty("sparkrdma.it.workloadsJar"));
    conf.putAll(settings);
    TestApplication application = new TestApplication(conf);
    try {
      application.awaitExecutors();
      return application;
    } catch (RuntimeException e) {
      application.close();
      throw e;
    }
  }

  /** In a driver that spark-submit started, with its settings. */
  static TestApplication submitted() {
    return new TestApplication(Map.of());
  }

  /** The settings of the manager under test, on two executors of one core each. */
  static Map<String, String> rdmaConf() {
    Map<String, String> conf = new LinkedHashMap<>(StandaloneCluster.DEFAULT_CONF);
    conf.put("spark.executor.cores", "1");
    conf.put("spark.cores.max", "2");
    conf.put("spark.executor.memory", "1g");
    conf.put("spark.shuffle.manager", RdmaShuffleManager.class.getName());
    conf.put("spark.shuffle.rdma.fabric", FABRIC);
    conf.put("spark.sql.shuffle.partitions", "8");
    // Reducers run anywhere, and not where most of their input is: something must be remote.
    conf.put("spark.shuffle.reduceLocality.enabled", "false");
    return conf;
  }

  /** Starts Spark's own sort shuffle in this JVM. */
  static TestApplication withSortShuffle(Map<String, String> settings) {
    Map<String, String> conf = new LinkedHashMap<>();
    conf.put("spark.master", "local[2]");
    conf.put("spark.ui.enabled", "false");
    conf.put("spark.driver.host", "127.0.0.1");
    conf.put("spark.sql.shuffle.partitions", "8");
    conf.putAll(settings);
    return new TestApplication(conf);
  }

  /** How a job's rows came. */
  record Reading(
      List<String> rows,
      long readBlocks,
      long readBytes,
      Map<String, Long> tcpBlocks,
      long sparkBlocks,
      long sparkBytes,
      long fetchFailures,
      double seconds)
      implements Serializable {}

  /**
   * Runs a job and counts what it fetched, by Spark's own metrics and by the manager's counters.
   */
  Reading run(Function<TestApplication, List<String>> job) throws Exception {
    Map<String, Long> before = counters();
    long blocksBefore = reads.remoteBlocks.get();
    long bytesBefore = reads.remoteBytes.get();
    long failuresBefore = reads.fetchFailures.get();
    long start = System.nanoTime();
    List<String> rows = job.apply(this);
    double seconds = (System.nanoTime() - start) / 1e9;
    settle();
    long sparkBlocks = reads.remoteBlocks.get() - blocksBefore;
    long sparkBytes = reads.remoteBytes.get() - bytesBefore;
    Map<String, Long> after = awaitBlocks(before, sparkBlocks);
    Map<String, Long> tcp = new TreeMap<>();
    after.forEach(
        (label, value) -> {
          long count = value - before.getOrDefault(label, 0L);
          if (label.startsWith("tcp-blocks.") && count != 0) {
            tcp.put(label.substring("tcp-blocks.".length()), count);
          }
        });
    return new Reading(
        rows,
        difference(after, before, "read-blocks"),
        difference(after, before, "read-bytes"),
        tcp,
        sparkBlocks,
        sparkBytes,
        reads.fetchFailures.get() - failuresBefore,
        seconds);
  }

  /** The cluster-wide counters as the driver knows them. */
  Map<String, Long> counters() {
    return manager().counters();
  }

  RdmaShuffleManager manager() {
    return (RdmaShuffleManager) SparkEnv.get().shuffleManager();
  }

  SparkReads sparkReads() throws Exception {
    settle();
    return reads;
  }

  private void settle() throws Exception {
    session.sparkContext().listenerBus().waitUntilEmpty(DEADLINE_MILLIS);
  }

  /**
   * Executors report before each task's end, but the directory's thread may take the last report in
   * a moment after the job's end.
   */
  private Map<String, Long> awaitBlocks(Map<String, Long> before, long blocks) throws Exception {
    long deadline = System.currentTimeMillis() + 10_000;
    Map<String, Long> after = counters();
    while (difference(after, before, "read-blocks") + difference(after, before, "tcp-blocks")
            < blocks
        && System.currentTimeMillis() < deadline) {
      Thread.sleep(10);
      after = counters();
    }
    return after;
  }

  private static long difference(Map<String, Long> after, Map<String, Long> before, String label) {
    return after.getOrDefault(label, 0L) - before.getOrDefault(label, 0L);
  }

  /** Waits until both executors run tasks: one that has only registered gets none yet. */
  void awaitExecutors() {
    long deadline = System.currentTimeMillis() + DEADLINE_MILLIS;
    while (executorProcesses().size() < 2) {
      if (System.currentTimeMillis() > deadline) {
        throw new IllegalStateException("two executors didn't come up");
      }
    }
  }

  /** The process ids of executors that run tasks now. */
  Set<Long> executorProcesses() {
    return ExecutorProcess.all(this).stream()
        .map(ExecutorProcess::pid)
        .collect(Collectors.toUnmodifiableSet());
  }

  /** Both executors, by Spark's id. */
  List<ExecutorProcess> executors() {
    awaitExecutors();
    List<ExecutorProcess> found = ExecutorProcess.all(this);
    while (found.size() < 2) {
      found = ExecutorProcess.all(this);
    }
    return found;
  }

  /** The nearest shuffle that an RDD comes from. */
  static ShuffleDependency<?, ?, ?> shuffleOf(RDD<?> rdd) {
    var dependency = rdd.dependencies().apply(0);
    return dependency instanceof ShuffleDependency<?, ?, ?> shuffle
        ? shuffle
        : shuffleOf(dependency.rdd());
  }

  /** What the context cleaner does once an RDD is garbage, without waiting for that. */
  void cleanUp(RDD<?> shuffled) {
    context.sc().cleaner().get().doCleanupShuffle(shuffleOf(shuffled).shuffleId(), true);
  }

  @Override
  public void close() {
    session.stop();
  }
}
