package org.sparkrdma.it.jobs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.spark.api.java.JavaPairRDD;
import org.junit.jupiter.api.Test;
import org.sparkrdma.it.jobs.TestApplication.Reading;
import scala.Tuple2;

/** What 200 shuffles of one application took is given back. */
final class LeaksIT {

  private static final int SHUFFLES = 200;
  private static final int MAPS = 4;
  private static final int TEXT_BYTES = 60_000;

  @Test
  void twoHundredSmallShufflesLeaveNothingBehind() throws Exception {
    Map<String, String> conf =
        Map.of(
            "spark.shuffle.rdma.leaseMillis", "50", "spark.shuffle.rdma.readTimeoutMillis", "500");
    try (TestApplication application = TestApplication.withRdma(conf)) {
      for (int i = 0; i < 10; i++) {
        shuffleAndClean(application);
      }
      Map<Long, ExecutorResources> before = ExecutorResources.awaitReleased(application);
      for (int i = 0; i < SHUFFLES; i++) {
        shuffleAndClean(application);
      }
      ExecutorResources.assertNothingLeft(before, ExecutorResources.awaitReleased(application));
      assertTrue(application.counters().getOrDefault("read-blocks", -1L) > SHUFFLES);
      // What executors report when they have run one more: its outputs alone are registered.
      shuffle(application);
      assertEquals(MAPS, application.counters().getOrDefault("regions-live", -1L));
      assertEquals(0, application.counters().getOrDefault("outputs-copied", 0L));
      assertEquals(0, application.counters().getOrDefault("pool-bytes-in-use", -1L));
    }
  }

  private static void shuffleAndClean(TestApplication application) throws Exception {
    JavaPairRDD<Integer, String> sums = shuffle(application);
    application.cleanUp(sums.rdd());
  }

  /** Of outputs that are mapped, since small ones would be copied. */
  private static JavaPairRDD<Integer, String> shuffle(TestApplication application)
      throws Exception {
    JavaPairRDD<Integer, String> sums =
        application
            .context
            .parallelize(List.of(1, 2, 3, 4, 5, 6, 7, 8), MAPS)
            .mapToPair(i -> new Tuple2<>(i % 4, text(i)))
            .reduceByKey((a, b) -> a.compareTo(b) > 0 ? a : b, 4);
    Reading reading =
        application.run(
            ignored -> sums.map(pair -> pair._1() + ": " + pair._2().hashCode()).collect());
    assertEquals(4, reading.rows().size());
    assertEquals(Map.of(), reading.tcpBlocks());
    assertEquals(reading.sparkBlocks(), reading.readBlocks());
    return sums;
  }

  /** That compression doesn't make small. */
  private static String text(int seed) {
    return new Random(seed)
        .ints(TEXT_BYTES, ' ', '~')
        .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
        .toString();
  }
}
