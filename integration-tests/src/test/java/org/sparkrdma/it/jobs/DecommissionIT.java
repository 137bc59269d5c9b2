package org.sparkrdma.it.jobs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.spark.ExecutorAllocationClient;
import org.apache.spark.MapOutputTrackerMaster;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.scheduler.ExecutorDecommissionInfo;
import org.junit.jupiter.api.Test;
import org.sparkrdma.it.jobs.TestApplication.Reading;
import scala.Option;

/**
 * An executor that leaves hands its map outputs over, and they are read by READ where they went.
 */
final class DecommissionIT {

  private static final long DEADLINE_MILLIS = 120_000;

  @Test
  void outputsThatWereHandedOverComeByReadFromTheirNewOwner() throws Exception {
    Map<String, String> conf =
        Map.of(
            "spark.decommission.enabled", "true",
            "spark.storage.decommission.enabled", "true",
            "spark.storage.decommission.shuffleBlocks.enabled", "true");
    try (TestApplication application = TestApplication.withRdma(conf)) {
      JavaPairRDD<Integer, Integer> sums =
          Job.pairs(application, 1000).reduceByKey(Integer::sum, 7);
      Reading first = application.run(ignored -> Job.sorted(sums));
      SameRowsIT.assertAllByRead(first, "before");
      int shuffleId = TestApplication.shuffleOf(sums.rdd()).shuffleId();
      Map<String, Long> before = owners(shuffleId);
      assertEquals(2, before.size(), before::toString);
      String leaving = before.keySet().iterator().next();
      long handedOver = before.getOrDefault(leaving, 0L);
      long mapTasks = application.sparkReads().mapTasks.get();
      assertTrue(
          ((ExecutorAllocationClient) application.context.sc().schedulerBackend())
              .decommissionExecutor(
                  leaving,
                  new ExecutorDecommissionInfo("a test wants it", Option.empty()),
                  false,
                  false));
      awaitMoved(shuffleId, leaving);
      // Another executor comes in its place: it has no output, so it reads all from the one left.
      awaitReplaced(leaving);
      application.awaitExecutors();
      Reading second = application.run(ignored -> Job.sorted(sums));
      FaultTable.add(
          "Executor decommissioned, its map outputs handed over",
          "direct",
          "same rows by READ from where the outputs went, and no map task runs again",
          second,
          first.rows());
      assertEquals(first.rows(), second.rows());
      SameRowsIT.assertAllByRead(second, "after " + handedOver + " outputs were handed over");
      assertEquals(mapTasks, application.sparkReads().mapTasks.get(), "a map task ran again");
      assertEquals(0, application.sparkReads().fetchFailures.get());
    }
  }

  /** How many of a shuffle's outputs each executor has, by executor. */
  private static Map<String, Long> owners(int shuffleId) {
    MapOutputTrackerMaster tracker = (MapOutputTrackerMaster) SparkEnv.get().mapOutputTracker();
    Map<String, Long> owners = new TreeMap<>();
    Arrays.stream(tracker.shuffleStatuses().apply(shuffleId).mapStatuses())
        .forEach(status -> owners.merge(status.location().executorId(), 1L, Long::sum));
    return owners;
  }

  private static void awaitMoved(int shuffleId, String leaving) throws InterruptedException {
    long deadline = System.currentTimeMillis() + DEADLINE_MILLIS;
    while (owners(shuffleId).containsKey(leaving)) {
      assertTrue(System.currentTimeMillis() < deadline, "not handed over");
      Thread.sleep(100);
    }
  }

  private static void awaitReplaced(String leaving) throws InterruptedException {
    long deadline = System.currentTimeMillis() + DEADLINE_MILLIS;
    Set<String> executors = SparkExecutors.ids();
    while (executors.size() != 2 || executors.contains(leaving)) {
      assertTrue(System.currentTimeMillis() < deadline, executors::toString);
      Thread.sleep(100);
      executors = SparkExecutors.ids();
    }
  }
}
