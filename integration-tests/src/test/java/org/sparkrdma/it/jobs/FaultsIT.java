package org.sparkrdma.it.jobs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.apache.spark.MapOutputTrackerMaster;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.scheduler.MapStatus;
import org.apache.spark.shuffle.rdma.Retirement;
import org.junit.jupiter.api.Test;
import org.sparkrdma.it.jobs.TestApplication.Reading;

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
          "no-location",
          "retry-exceeded");

  /** Of 20,000 numbers, the sums of those that are the same modulo 1,000. */
  private static final List<String> SUMS =
      IntStream.range(0, 1000)
          .mapToObj(key -> "(" + key + "," + (20 * key + 190_000) + ")")
          .sorted()
          .toList();

  @Test
  void aStageIsRetriedAfterItsExecutorWasKilled() throws Exception {
    killAnExecutor(Map.of(), "direct");
  }

  /** A job, a kill, the job again, and once more with the executor that took the place. */
  static void killAnExecutor(Map<String, String> settings, String way) throws Exception {
    try (TestApplication application = TestApplication.withRdma(settings)) {
      JavaPairRDD<Integer, Integer> sums =
          Job.pairs(application, 1000).reduceByKey(Integer::sum, 7);
      Reading first = application.run(ignored -> Job.sorted(sums));
      SameRowsIT.assertAllByRead(first, "before the kill");
      long mapTasks = application.sparkReads().mapTasks.get();
      application.executors().getFirst().kill();
      Reading second = application.run(ignored -> Job.sorted(sums));
      assertEquals(SUMS, second.rows());
      assertTrue(application.sparkReads().mapTasks.get() > mapTasks, "no map task ran again");
      FaultTable.add(
          "Executor killed (SIGKILL) between two jobs",
          way,
          "same rows, after the lost map tasks have run again",
          second,
          SUMS);
      assertTrue(AFTER_A_KILL.containsAll(second.tcpBlocks().keySet()), second::toString);
      // Only a block that fell back can have failed to be fetched.
      long byTcp = second.tcpBlocks().values().stream().mapToLong(Long::longValue).sum();
      assertTrue(byTcp >= application.sparkReads().fetchFailures.get(), second::toString);
      application.awaitExecutors();
      Reading third = application.run(ignored -> Job.sorted(sums));
      assertEquals(SUMS, third.rows());
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
      Reading reading = application.run(ignored -> Job.sorted(sums));
      FaultTable.add(
          "A map task runs twice, by speculation",
          "direct",
          "same rows: only the copy that counts is read",
          reading,
          SUMS);
      SameRowsIT.assertAllByRead(reading, "a speculative job");
      assertEquals(SUMS, reading.rows());
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
      Reading first = application.run(ignored -> Job.sorted(sums));
      SameRowsIT.assertAllByRead(first, "before the retirement");
      int shuffleId = TestApplication.shuffleOf(sums.rdd()).shuffleId();
      List<Long> mapIds = mapIds(shuffleId);
      application
          .context
          .parallelize(List.of(1, 2, 3, 4), 4)
          .foreach(
              i -> {
                Thread.sleep(50);
                Retirement.retireHere(shuffleId, mapIds);
              });
      Reading second = application.run(ignored -> Job.sorted(sums));
      FaultTable.add(
          "Map outputs given up (as for want of room) after readers have seen them",
          "direct",
          "same rows: their blocks go by TCP",
          second,
          SUMS);
      assertEquals(SUMS, second.rows());
      assertEquals(0, second.readBlocks());
      assertEquals(Map.of("region-retired", second.sparkBlocks()), second.tcpBlocks());
      Reading third = application.run(ignored -> Job.sorted(sums));
      assertEquals(SUMS, third.rows());
      assertEquals(Map.of("region-retired", third.sparkBlocks()), third.tcpBlocks());
    }
  }

  private static List<Long> mapIds(int shuffleId) {
    MapOutputTrackerMaster tracker = (MapOutputTrackerMaster) SparkEnv.get().mapOutputTracker();
    return Arrays.stream(tracker.shuffleStatuses().apply(shuffleId).mapStatuses())
        .map(MapStatus::mapId)
        .toList();
  }
}
