package org.sparkrdma.it.jobs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.apache.spark.HashPartitioner;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.shuffle.BaseShuffleHandle;
import org.apache.spark.shuffle.sort.BypassMergeSortShuffleHandle;
import org.apache.spark.shuffle.sort.SerializedShuffleHandle;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.sparkrdma.it.jobs.TestApplication.Reading;
import scala.Tuple2;

/** The same rows as by the sort shuffle, every remote block by READ, none by TCP. */
final class SameRowsIT {

  private static final Map<Job, List<String>> EXPECTED = new EnumMap<>(Job.class);

  private static final String KRYO = "org.apache.spark.serializer.KryoSerializer";

  /**
   * Small thresholds, so that adaptive execution coalesces and splits partitions of a small job.
   */
  static final Map<String, String> ADAPTIVE =
      Map.of(
          "spark.sql.adaptive.enabled", "true",
          "spark.sql.autoBroadcastJoinThreshold", "-1",
          "spark.sql.adaptive.autoBroadcastJoinThreshold", "-1",
          "spark.sql.adaptive.advisoryPartitionSizeInBytes", "300k",
          "spark.sql.adaptive.coalescePartitions.minPartitionSize", "1k",
          "spark.sql.adaptive.skewJoin.skewedPartitionThresholdInBytes", "50k",
          "spark.sql.adaptive.skewJoin.skewedPartitionFactor", "2");

  @BeforeAll
  static void sortShuffle() {
    EXPECTED.putAll(rowsBySortShuffle(EnumSet.allOf(Job.class)));
  }

  static Map<Job, List<String>> rowsBySortShuffle(Set<Job> jobs) {
    Map<Job, List<String>> rows = new EnumMap<>(Job.class);
    try (TestApplication application = TestApplication.withSortShuffle(ADAPTIVE)) {
      for (Job job : jobs) {
        rows.put(job, job.apply(application));
      }
    }
    return rows;
  }

  @Test
  void withSparksDefaults() throws Exception {
    try (TestApplication application = TestApplication.withRdma(ADAPTIVE)) {
      check(application, EnumSet.allOf(Job.class));
      assertAdaptive(application);
      assertEquals(
          application.counters().get("read-blocks"),
          application.counters().get("read-blocks-direct"));
      // Java's serializer can't be used otherwise.
      checkWriter(application, 20, false, BypassMergeSortShuffleHandle.class);
    }
  }

  @Test
  void withKryoAndWithoutCompressionByEachWriter() throws Exception {
    Map<String, String> conf = new HashMap<>(ADAPTIVE);
    conf.put("spark.serializer", KRYO);
    conf.put("spark.shuffle.compress", "false");
    conf.put("spark.shuffle.rdma.bypassMergeThreshold", "6");
    // Two tasks at once in each executor share its connections, lookups and buffers.
    conf.put("spark.executor.cores", "2");
    conf.put("spark.cores.max", "4");
    try (TestApplication application = TestApplication.withRdma(conf)) {
      check(application, EnumSet.complementOf(EnumSet.of(Job.TWO_THOUSAND_REDUCERS)));
      checkWriter(application, 5, false, BypassMergeSortShuffleHandle.class);
      checkWriter(application, 9, false, SerializedShuffleHandle.class);
      checkWriter(application, 9, true, BaseShuffleHandle.class);
      checkOrder(application);
    }
  }

  @Test
  void withEncryptedFilesAndOverTheSoftwareFabricsTcpWay() throws Exception {
    Map<String, String> conf = new HashMap<>(ADAPTIVE);
    conf.put("spark.io.encryption.enabled", "true");
    conf.put("spark.shuffle.rdma.sameHostDirect", "false");
    conf.put("spark.shuffle.rdma.serveFromMapping", "false");
    conf.put("spark.serializer", KRYO);
    conf.put("spark.shuffle.sort.bypassMergeThreshold", "100");
    try (TestApplication application = TestApplication.withRdma(conf)) {
      check(
          application, EnumSet.of(Job.REDUCE_BY_KEY, Job.SORT_BY_KEY, Job.JOIN, Job.SQL_SKEW_JOIN));
      assertEquals(
          application.counters().get("read-blocks"), application.counters().get("read-blocks-tcp"));
      assertEquals(0, application.counters().getOrDefault("blocks-from-mapping", 0L));
      checkWriter(application, 20, false, BypassMergeSortShuffleHandle.class);
    }
  }

  /** Blocks that the pool has no buffer for come by TCP, beside others that come by READ. */
  @Test
  void withAPoolThatIsTooSmall() throws Exception {
    Map<String, String> conf = new HashMap<>(ADAPTIVE);
    conf.put("spark.shuffle.rdma.bufferPoolBytes", "16k");
    conf.put("spark.shuffle.compress", "false");
    try (TestApplication application = TestApplication.withRdma(conf)) {
      Reading reading = application.run(Job.SQL_SKEW_JOIN);
      assertEquals(EXPECTED.get(Job.SQL_SKEW_JOIN), reading.rows());
      assertTrue(reading.readBlocks() > 0, reading.tcpBlocks()::toString);
      assertTrue(reading.tcpBlocks().getOrDefault("block-too-large", 0L) > 0);
      assertTrue(
          Set.of("block-too-large", "pool-dry").containsAll(reading.tcpBlocks().keySet()),
          reading.tcpBlocks()::toString);
      long byTcp = reading.tcpBlocks().values().stream().mapToLong(Long::longValue).sum();
      assertEquals(reading.sparkBlocks(), reading.readBlocks() + byTcp);
      assertLocalAndTcpBlocksComeFromTheMapping(application);
    }
  }

  /** Blocks of 40 KB, too large for that pool, of outputs that are too large to be copied. */
  private static void assertLocalAndTcpBlocksComeFromTheMapping(TestApplication application)
      throws Exception {
    // Who served a block reports it when a task of its own ends. Outputs of this job are copied.
    var _ = application.run(Job.REDUCE_BY_KEY);
    long localBefore = application.sparkReads().localBlocks.get();
    long mappedBefore = application.counters().getOrDefault("blocks-from-mapping", 0L);
    Reading reading =
        application.run(
            running -> {
              long blocks =
                  Job.numbers(running, 4000)
                      .mapToPair(i -> new Tuple2<>(i, "#".repeat(900) + i))
                      .groupByKey(8)
                      .count();
              return List.of(Long.toString(blocks));
            });
    assertEquals(List.of("4000"), reading.rows());
    assertEquals(Map.of("block-too-large", reading.sparkBlocks()), reading.tcpBlocks());
    long local = application.sparkReads().localBlocks.get() - localBefore;
    var _ = application.run(Job.REDUCE_BY_KEY);
    assertTrue(local > 0);
    assertEquals(
        local + reading.sparkBlocks(),
        application.counters().getOrDefault("blocks-from-mapping", 0L) - mappedBefore);
  }

  private static void check(TestApplication application, Set<Job> jobs) throws Exception {
    check(application, jobs, EXPECTED);
  }

  static void check(TestApplication application, Set<Job> jobs, Map<Job, List<String>> expected)
      throws Exception {
    for (Job job : jobs) {
      Reading reading = application.run(job);
      assertEquals(expected.get(job), reading.rows(), job + "'s rows");
      assertAllByRead(reading, job.name());
    }
  }

  static void assertAllByRead(Reading reading, String what) {
    assertTrue(reading.sparkBlocks() > 0, what + " fetched nothing remotely");
    assertEquals(Map.of(), reading.tcpBlocks(), what + "'s blocks by TCP");
    assertEquals(reading.sparkBlocks(), reading.readBlocks(), what + "'s blocks by READ");
    assertEquals(reading.sparkBytes(), reading.readBytes(), what + "'s bytes by READ");
  }

  /** The plans of the SQL jobs really have partitions that adaptive execution changed. */
  private static void assertAdaptive(TestApplication application) {
    Dataset<Row> joined = Job.skewJoin(application);
    assertFalse(joined.collectAsList().isEmpty());
    String plan = joined.queryExecution().executedPlan().toString();
    assertTrue(plan.contains("skewed"), plan);
    assertTrue(plan.contains("coalesced"), plan);
  }

  /** Of what a map task wrote for a partition with the serialized writer, the first comes first. */
  private static void checkOrder(TestApplication application) throws Exception {
    int maps = 3;
    int perMap = 5000;
    int partitions = 9;
    JavaPairRDD<Integer, Integer> shuffled =
        application
            .context
            .parallelize(IntStream.range(0, maps * perMap).boxed().toList(), maps)
            .mapToPair(i -> new Tuple2<>(i % partitions, i))
            .partitionBy(new HashPartitioner(partitions));
    Reading reading =
        application.run(
            ignored ->
                shuffled
                    .values()
                    .mapPartitions(
                        values -> {
                          int[] last = new int[maps];
                          int outOfOrder = 0;
                          while (values.hasNext()) {
                            int value = values.next();
                            int map = value / perMap;
                            outOfOrder += value < last[map] ? 1 : 0;
                            last[map] = value;
                          }
                          return List.of(Integer.toString(outOfOrder)).iterator();
                        })
                    .collect());
    assertEquals(
        SerializedShuffleHandle.class,
        TestApplication.shuffleOf(shuffled.rdd()).shuffleHandle().getClass());
    assertEquals(Collections.nCopies(partitions, "0"), reading.rows());
    assertAllByRead(reading, "records in order");
  }

  private static void checkWriter(
      TestApplication application, int partitions, boolean combine, Class<?> handle)
      throws Exception {
    JavaPairRDD<Integer, Integer> pairs = Job.pairs(application, 900);
    JavaPairRDD<Integer, ?> shuffled =
        combine
            ? pairs.reduceByKey(Integer::sum, partitions)
            : pairs.groupByKey(partitions).mapValues(values -> sum(values));
    Reading reading =
        application.run(
            ignored -> shuffled.map(Tuple2::toString).collect().stream().sorted().toList());
    assertEquals(handle, TestApplication.shuffleOf(shuffled.rdd()).shuffleHandle().getClass());
    assertAllByRead(reading, handle.getSimpleName());
    Map<Integer, Integer> expected = new HashMap<>();
    for (int i = 0; i < 20_000; i++) {
      expected.merge(i % 900, i, Integer::sum);
    }
    assertEquals(
        expected.entrySet().stream()
            .map(entry -> "(" + entry.getKey() + "," + entry.getValue() + ")")
            .sorted()
            .toList(),
        reading.rows());
  }

  private static int sum(Iterable<Integer> values) {
    int sum = 0;
    for (int value : values) {
      sum += value;
    }
    return sum;
  }
}
