package org.sparkrdma.it.jobs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.io.Serializable;
import java.nio.file.Files;
import java.nio.file.Path;
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

  /**
   * Threads and descriptors that Spark itself may have more of; a leak per shuffle is far above.
   */
  private static final int NOISE = 20;

  @Test
  void twoHundredSmallShufflesLeaveNothingBehind() throws Exception {
    Map<String, String> conf =
        Map.of(
            "spark.shuffle.rdma.leaseMillis", "50", "spark.shuffle.rdma.readTimeoutMillis", "500");
    try (TestApplication application = TestApplication.withRdma(conf)) {
      for (int i = 0; i < 10; i++) {
        shuffleAndClean(application);
      }
      awaitReleased(application);
      List<Resources> before = resources(application);
      for (int i = 0; i < SHUFFLES; i++) {
        shuffleAndClean(application);
      }
      awaitReleased(application);
      List<Resources> after = resources(application);
      System.out.println("before " + before + ", after " + after);
      assertEquals(2, after.size());
      for (int i = 0; i < after.size(); i++) {
        assertEquals(0, after.get(i).shuffleMappings);
        assertTrue(after.get(i).descriptors <= before.get(i).descriptors + NOISE);
        assertTrue(after.get(i).threads <= before.get(i).threads + NOISE);
      }
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
    // What the context cleaner does once the RDD is garbage, without waiting for that.
    application
        .context
        .sc()
        .cleaner()
        .get()
        .doCleanupShuffle(SameRowsIT.shuffleOf(sums.rdd()).shuffleId(), true);
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

  /** The last shuffle's outputs are released one lease and one read deadline after their end. */
  private static void awaitReleased(TestApplication application) throws Exception {
    long deadline = System.currentTimeMillis() + 60_000;
    while (resources(application).stream().anyMatch(found -> found.shuffleMappings > 0)
        && System.currentTimeMillis() < deadline) {
      Thread.sleep(100);
    }
  }

  /** What an executor's process has. */
  private record Resources(long pid, long shuffleMappings, long descriptors, long threads)
      implements Serializable {

    static String here() throws IOException {
      try (var maps = Files.lines(Path.of("/proc/self/maps"))) {
        return String.join(
            " ",
            Long.toString(ProcessHandle.current().pid()),
            Long.toString(maps.filter(line -> line.contains("/shuffle_")).count()),
            Integer.toString(count("/proc/self/fd")),
            Long.toString(ownThreads()));
      }
    }

    /** Without those by which Spark's block manager removes shuffles: up to 128, idle for 60 s. */
    private static long ownThreads() {
      return Thread.getAllStackTraces().keySet().stream()
          .filter(thread -> !thread.getName().startsWith("block-manager-storage-async"))
          .count();
    }

    private static int count(String folder) {
      String[] names = new File(folder).list();
      return names == null ? 0 : names.length;
    }

    static Resources parse(String text) {
      String[] parts = text.split(" ", -1);
      return new Resources(
          Long.parseLong(parts[0]),
          Long.parseLong(parts[1]),
          Long.parseLong(parts[2]),
          Long.parseLong(parts[3]));
    }
  }

  /** Of each executor, by process id. */
  private static List<Resources> resources(TestApplication application) {
    Map<Long, Resources> byProcess = new java.util.TreeMap<>();
    while (byProcess.size() < 2) {
      application
          .context
          .parallelize(List.of(1, 2, 3, 4), 4)
          .map(i -> Resources.here())
          .collect()
          .forEach(
              text -> {
                Resources found = Resources.parse(text);
                byProcess.put(found.pid, found);
              });
    }
    return List.copyOf(byProcess.values());
  }
}
