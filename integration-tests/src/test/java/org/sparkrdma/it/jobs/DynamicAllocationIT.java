package org.sparkrdma.it.jobs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.JavaPairRDD;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.sparkrdma.it.jobs.SeededShuffle.Piece;
import org.sparkrdma.it.jobs.TestApplication.Reading;

/** Dynamic allocation with shuffle tracking: executors come and go as Spark wants. */
@EnabledIfSystemProperty(
    named = "rdma.extended",
    matches = "true",
    disabledReason = "it takes a minute: mvn verify -Pextended runs it")
final class DynamicAllocationIT {

  private static final SeededShuffle SHUFFLE = new SeededShuffle(16, 4, 48 << 10);
  private static final long IDLE_SECONDS = 2;

  /** How long an executor with a shuffle's outputs may be idle; far longer than without. */
  private static final long TRACKED_SECONDS = 15;

  private static final long DEADLINE_MILLIS = 300_000;

  @TempDir private Path folder;

  @Test
  void executorsWithOutputsStayAndAreReadAndTheirRowsComeAgainWhenTheyHaveLeft() throws Exception {
    Map<String, String> conf = OwnerAndReader.conf("direct");
    conf.put("spark.dynamicAllocation.enabled", "true");
    conf.put("spark.dynamicAllocation.shuffleTracking.enabled", "true");
    conf.put("spark.dynamicAllocation.shuffleTracking.timeout", TRACKED_SECONDS + "s");
    conf.put("spark.dynamicAllocation.initialExecutors", "2");
    conf.put("spark.dynamicAllocation.maxExecutors", "2");
    conf.put("spark.dynamicAllocation.executorIdleTimeout", IDLE_SECONDS + "s");
    try (TestApplication application = TestApplication.withRdma(conf)) {
      awaitExecutors(Set::isEmpty);
      JavaPairRDD<Integer, Piece> pieces = SHUFFLE.shuffled(application);
      meet(application);
      assertEquals(SHUFFLE.expected(), SeededShuffle.sums(pieces));
      theyStayWithTheirOutputs(application, pieces);
      awaitExecutors(Set::isEmpty);
      theyHaveLeft(application, pieces);
    }
  }

  private void theyStayWithTheirOutputs(
      TestApplication application, JavaPairRDD<Integer, Piece> pieces) throws Exception {
    Set<String> executors = SparkExecutors.ids();
    assertEquals(2, executors.size());
    Thread.sleep(2000 * IDLE_SECONDS);
    assertEquals(executors, SparkExecutors.ids());
    Reading reading = application.run(ignored -> SeededShuffle.sums(pieces));
    FaultTable.add(
        "Dynamic allocation: executors idle, but with map outputs that are tracked",
        "direct",
        "same rows: the executors stay",
        reading,
        SHUFFLE.expected());
    assertEquals(SHUFFLE.expected(), reading.rows());
    SameRowsIT.assertAllByRead(reading, "from executors that were idle");
  }

  private void theyHaveLeft(TestApplication application, JavaPairRDD<Integer, Piece> pieces)
      throws Exception {
    long mapTasks = application.sparkReads().mapTasks.get();
    meet(application);
    Reading reading = application.run(ignored -> SeededShuffle.sums(pieces));
    FaultTable.add(
        "Dynamic allocation: executors have left, with their map outputs",
        "direct",
        "same rows, when the map tasks have run again",
        reading,
        SHUFFLE.expected());
    assertEquals(SHUFFLE.expected(), reading.rows());
    SameRowsIT.assertAllByRead(reading, "from executors that came later");
    assertEquals(mapTasks + SHUFFLE.maps(), application.sparkReads().mapTasks.get());
  }

  /** Two tasks wait for each other, so Spark must get two executors. */
  private void meet(TestApplication application) throws Exception {
    FileLatch latch = new FileLatch(Files.createTempDirectory(folder, "meet").toString());
    application
        .context
        .parallelize(IntStream.range(0, 2).boxed().toList(), 2)
        .foreach(
            i -> {
              latch.mark(SparkEnv.get().executorId());
              latch.awaitArrivals(2);
            });
  }

  private static void awaitExecutors(Predicate<Set<String>> wanted) throws InterruptedException {
    long deadline = System.currentTimeMillis() + DEADLINE_MILLIS;
    while (!wanted.test(SparkExecutors.ids())) {
      assertTrue(System.currentTimeMillis() < deadline, () -> SparkExecutors.ids().toString());
      Thread.sleep(100);
    }
  }
}
