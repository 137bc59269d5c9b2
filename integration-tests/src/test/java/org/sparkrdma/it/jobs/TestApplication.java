package org.sparkrdma.it.jobs;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.shuffle.rdma.RdmaShuffleManager;
import org.apache.spark.sql.SparkSession;
import org.sparkrdma.it.cluster.StandaloneCluster;

/**
 * A Spark application whose driver is this JVM: on two executors of the shared cluster with the
 * RDMA shuffle manager, or local with Spark's own sort shuffle to have something to compare with.
 */
final class TestApplication implements AutoCloseable {

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
    Map<String, String> conf = new LinkedHashMap<>(StandaloneCluster.DEFAULT_CONF);
    String master = System.getProperty("sparkrdma.it.master");
    conf.put("spark.master", master == null ? SharedCluster.masterUrl() : master);
    conf.put("spark.driver.host", "127.0.0.1");
    conf.put("spark.executor.cores", "1");
    conf.put("spark.cores.max", "2");
    conf.put("spark.executor.memory", "1g");
    conf.put(
        "spark.jars",
        System.getProperty("sparkrdma.it.shuffleJar")
            + ","
            + System.getProperty("sparkrdma.it.testsJar")
            + ","
            + System.getProperty("sparkrdma.it.workloadsJar"));
    conf.put("spark.shuffle.manager", RdmaShuffleManager.class.getName());
    // Not auto: what a test asserts depends on it.
    conf.put("spark.shuffle.rdma.fabric", "software");
    conf.put("spark.sql.shuffle.partitions", "8");
    // Reducers run anywhere, and not where most of their input is: something must be remote.
    conf.put("spark.shuffle.reduceLocality.enabled", "false");
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
      long sparkBytes) {}

  /**
   * Runs a job and counts what it fetched, by Spark's own metrics and by the manager's counters.
   */
  Reading run(Function<TestApplication, List<String>> job) throws Exception {
    Map<String, Long> before = counters();
    long blocksBefore = reads.remoteBlocks.get();
    long bytesBefore = reads.remoteBytes.get();
    List<String> rows = job.apply(this);
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
        sparkBytes);
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
    return Set.copyOf(
        context
            .parallelize(List.of(1, 2, 3, 4), 4)
            .map(
                i -> {
                  // Long enough for the other executor to get one too.
                  Thread.sleep(50);
                  return ProcessHandle.current().pid();
                })
            .collect());
  }

  @Override
  public void close() {
    session.stop();
  }
}
