package org.sparkrdma.it.jobs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.SparkException;
import org.apache.spark.api.java.JavaPairRDD;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.sparkrdma.it.cluster.ClusterOptions;
import org.sparkrdma.it.cluster.SparkHome;
import org.sparkrdma.it.cluster.StandaloneCluster;
import org.sparkrdma.it.jobs.SeededShuffle.Piece;
import org.sparkrdma.it.jobs.TestApplication.Reading;

/** Executors' local directories on a disk that gets full. */
@EnabledIfSystemProperty(
    named = "rdma.extended",
    matches = "true",
    disabledReason = "it takes a minute: mvn verify -Pextended runs it")
final class FullDiskIT {

  private static final String NO_SPACE = "No space left on device";
  private static final String DISK_BYTES = "48m";

  /** More than the disk has room for. */
  private static final SeededShuffle TOO_LARGE = new SeededShuffle(16, 8, 1 << 20);

  private static final SeededShuffle SMALL = new SeededShuffle(16, 8, 48 << 10);

  @Test
  void jobsFailAsBySparksOwnShuffleOrGoOnWhenThereIsRoomAgain() throws Exception {
    try (StandaloneCluster cluster =
        StandaloneCluster.start(
            SparkHome.ofBuild(), ClusterOptions.ofWorkers(2).withMemoryPerWorkerMb(1536))) {
      Path disk = cluster.directory().resolve("local");
      mount(disk);
      try {
        String bySort = failureBySortShuffle(disk);
        Map<String, String> conf = OwnerAndReader.conf("direct");
        conf.put("spark.master", cluster.masterUrl());
        // Enough for the time until there's room again.
        conf.put("spark.task.maxFailures", "1000");
        try (TestApplication application = TestApplication.withRdma(conf)) {
          Leftovers leftovers = new Leftovers(application);
          itIsFullForAWhile(application, disk);
          leftovers.assertNone();
        }
        conf.remove("spark.task.maxFailures");
        try (TestApplication application = TestApplication.withRdma(conf)) {
          Leftovers leftovers = new Leftovers(application);
          itIsFullForGood(application, bySort);
          leftovers.assertNone();
        }
      } finally {
        run("umount", "-l", disk.toString());
      }
    }
  }

  private static void itIsFullForAWhile(TestApplication application, Path disk) throws Exception {
    Path ballast = disk.resolve("ballast");
    fill(ballast);
    SparkReads reads = application.sparkReads();
    Thread roomLater = Thread.ofPlatform().start(() -> removeAfterAFailure(reads, ballast));
    JavaPairRDD<Integer, Piece> pieces = SMALL.shuffled(application);
    Reading reading = application.run(ignored -> SeededShuffle.sums(pieces));
    roomLater.join();
    FaultTable.add(
        "Disk of the local directories full until map tasks have failed",
        "direct",
        "same rows, when failed map tasks have run again",
        reading,
        SMALL.expected());
    assertEquals(SMALL.expected(), reading.rows());
    assertTrue(reads.failedTasks.get() > 0, "no task failed");
    SameRowsIT.assertAllByRead(reading, "with room again");
    application.cleanUp(pieces.rdd());
  }

  private static void itIsFullForGood(TestApplication application, String bySort) throws Exception {
    JavaPairRDD<Integer, Piece> pieces = TOO_LARGE.shuffled(application);
    long start = System.nanoTime();
    String failure = failure(pieces);
    FaultTable.add(
        "Disk of the local directories too small for the shuffle",
        "direct",
        "the job fails as by the sort shuffle: " + bySort,
        failure,
        (System.nanoTime() - start) / 1e9);
    assertEquals(bySort, failure);
    application.cleanUp(pieces.rdd());
  }

  private static String failureBySortShuffle(Path disk) {
    Path directory = disk.resolve("sort");
    Map<String, String> conf =
        new HashMap<>(
            Map.of("spark.local.dir", directory.toString(), "spark.master", "local[2,4]"));
    try (TestApplication application = TestApplication.withSortShuffle(conf)) {
      return failure(TOO_LARGE.shuffled(application));
    }
  }

  /** The failure's class and cause, without what differs from run to run. */
  private static String failure(JavaPairRDD<Integer, Piece> pieces) {
    SparkException failure = assertThrows(SparkException.class, () -> SeededShuffle.sums(pieces));
    String message = String.valueOf(failure.getMessage());
    List<String> causes = message.lines().filter(line -> line.contains(NO_SPACE)).toList();
    assertTrue(!causes.isEmpty(), message);
    String cause = causes.getFirst();
    return failure.getClass().getSimpleName()
        + ", "
        + cause.substring(cause.indexOf("java.io.IOException")).trim();
  }

  private static void removeAfterAFailure(SparkReads reads, Path ballast) {
    try {
      while (reads.failedTasks.get() == 0) {
        Thread.sleep(5);
      }
      Files.delete(ballast);
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Writes a file that takes all room there is. */
  private static void fill(Path ballast) throws IOException {
    try (FileChannel channel =
        FileChannel.open(ballast, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      ByteBuffer block = ByteBuffer.allocate(4096);
      while (true) {
        channel.write(block.clear());
      }
    } catch (IOException e) {
      assertTrue(String.valueOf(e.getMessage()).contains(NO_SPACE), e::toString);
    }
  }

  private static void mount(Path disk) throws IOException, InterruptedException {
    assumeTrue(
        run("mount", "-t", "tmpfs", "-o", "size=" + DISK_BYTES, "tmpfs", disk.toString()) == 0,
        "this user may not mount a small disk");
  }

  private static int run(String... command) throws IOException, InterruptedException {
    return new ProcessBuilder(command).inheritIO().start().waitFor();
  }
}
