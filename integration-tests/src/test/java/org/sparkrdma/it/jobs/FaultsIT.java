package org.sparkrdma.it.jobs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.spark.MapOutputTrackerMaster;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.scheduler.MapStatus;
import org.apache.spark.shuffle.rdma.Retirement;
import org.junit.jupiter.api.Test;
import org.sparkrdma.it.jobs.TestApplication.Reading;
import scala.Tuple2;

/** What goes wrong in clusters changes no row, and blocks go by TCP only where that's right. */
final class FaultsIT {

  /** How blocks of an executor that was killed may have gone, by what was known of it when. */
  static final Set<String> AFTER_A_KILL =
      Set.of(
          "peer-unreachable",
          "peer-in-backoff",
          "peer-terminated",
          "connection-lost",
          "connect-refused",
          "no-location");

  @Test
  void aStageIsRetriedAfterItsExecutorWasKilled() throws Exception {
    killAnExecutor(Map.of(), AFTER_A_KILL);
  }

  /** A job, a kill, the job again, and once more with the executor that took the place. */
  static void killAnExecutor(Map<String, String> settings, Set<String> reasons) throws Exception {
    try (TestApplication application = TestApplication.withRdma(settings)) {
      JavaPairRDD<Integer, Integer> sums =
          Job.pairs(application, 1000).reduceByKey(Integer::sum, 7);
      Reading first = application.run(ignored -> rows(sums));
      SameRowsIT.assertAllByRead(first, "before the kill");
      long mapTasks = application.sparkReads().mapTasks.get();
      long victim = application.executorProcesses().iterator().next();
      assertTrue(ProcessHandle.of(victim).orElseThrow().destroyForcibly());
      Reading second = application.run(ignored -> rows(sums));
      assertEquals(first.rows(), second.rows());
      assertTrue(application.sparkReads().mapTasks.get() > mapTasks, "no map task ran again");
      System.out.println(
          "after the kill: "
              + second.readBlocks()
              + " blocks by READ, by TCP "
              + second.tcpBlocks()
              + ", fetch failures "
              + application.sparkReads().fetchFailures.get());
      assertTrue(reasons.containsAll(second.tcpBlocks().keySet()), second::toString);
      // Only a block that fell back can have failed to be fetched.
      long byTcp = second.tcpBlocks().values().stream().mapToLong(Long::longValue).sum();
      assertTrue(byTcp >= application.sparkReads().fetchFailures.get(), second::toString);
      application.awaitExecutors();
      Reading third = application.run(ignored -> rows(sums));
      assertEquals(first.rows(), third.rows());
      SameRowsIT.assertAllByRead(third, "with the executor that took its place");
    }
  }

  @Test
  void speculativeCopiesOfMapTasksLeaveNoBlockBehind() throws Exception {
    Map<String, String> conf =
        Map.of(
            "spark.speculation", "true",
            "spark.speculation.interval", "100ms",
            "spark.speculation.multiplier", "1.1",
            "spark.speculation.quantile", "0.1");
    try (TestApplication application = TestApplication.withRdma(conf)) {
      JavaPairRDD<Integer, Integer> sums =
          Job.pairs(application, 1000)
              .mapToPair(
                  pair -> {
                    // The first copy of the last map is slow; a later one isn't. Being the last,
                    // it leaves its executor the output of a map before it, which the other
                    // executor must fetch.
                    if (pair._2() == 19_999 && TaskContext.get().attemptNumber() == 0) {
                      Thread.sleep(20_000);
                    }
                    return pair;
                  })
              .reduceByKey(Integer::sum, 7);
      Reading reading = application.run(ignored -> rows(sums));
      SameRowsIT.assertAllByRead(reading, "a speculative job");
      assertEquals(1000, reading.rows().size());
      assertTrue(reading.rows().contains("(1,190020)"), "the sum over i = 1 mod 1000");
      assertTrue(application.sparkReads().speculativeTasks.get() > 0, "nothing was speculative");
    }
  }

  @Test
  void outputsThatAreRetiredAfterTheirValidationComeByTcp() throws Exception {
    // A lease that outlasts the test: readers believe the pages that they know.
    Map<String, String> conf = Map.of("spark.shuffle.rdma.leaseMillis", "600000");
    try (TestApplication application = TestApplication.withRdma(conf)) {
      JavaPairRDD<Integer, Integer> sums =
          Job.pairs(application, 1000).reduceByKey(Integer::sum, 7);
      Reading first = application.run(ignored -> rows(sums));
      SameRowsIT.assertAllByRead(first, "before the retirement");
      int shuffleId = SameRowsIT.shuffleOf(sums.rdd()).shuffleId();
      List<Long> mapIds = mapIds(shuffleId);
      application
          .context
          .parallelize(List.of(1, 2, 3, 4), 4)
          .foreach(
              i -> {
                Thread.sleep(50);
                Retirement.retireHere(shuffleId, mapIds);
              });
      Reading second = application.run(ignored -> rows(sums));
      assertEquals(first.rows(), second.rows());
      assertEquals(0, second.readBlocks());
      assertEquals(Map.of("region-retired", second.sparkBlocks()), second.tcpBlocks());
      Reading third = application.run(ignored -> rows(sums));
      assertEquals(first.rows(), third.rows());
      assertEquals(Map.of("region-retired", third.sparkBlocks()), third.tcpBlocks());
    }
  }

  private static List<Long> mapIds(int shuffleId) {
    MapOutputTrackerMaster tracker = (MapOutputTrackerMaster) SparkEnv.get().mapOutputTracker();
    return Arrays.stream(tracker.shuffleStatuses().apply(shuffleId).mapStatuses())
        .map(MapStatus::mapId)
        .toList();
  }

  private static List<String> rows(JavaPairRDD<Integer, Integer> pairs) {
    return pairs.map(Tuple2::toString).collect().stream().sorted().toList();
  }
}
