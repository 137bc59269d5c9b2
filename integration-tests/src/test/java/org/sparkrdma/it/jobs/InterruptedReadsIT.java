package org.sparkrdma.it.jobs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.sparkrdma.it.jobs.TestApplication.Reading;

/** Connections that break, and jobs that are cancelled, in the middle of reads. */
@DisabledIfSystemProperty(
    named = "sparkrdma.it.fabric",
    matches = "verbs",
    disabledReason = "what is cut are sockets; VerbsFabricTest has broken queue pairs")
final class InterruptedReadsIT {

  private static final SeededShuffle SHUFFLE = new SeededShuffle(16, 4, 48 << 10);
  private static final int CUTS = 100;
  private static final long DEADLINE_SECONDS = 60;

  @TempDir private Path folder;

  @Test
  void onTheTcpWay() throws Exception {
    Map<String, String> conf = OwnerAndReader.conf("tcp");
    // Else the pauses would leave few connections to cut.
    conf.put("spark.shuffle.rdma.backoffMillis", "1");
    try (TestApplication application = TestApplication.withRdma(conf)) {
      Leftovers leftovers = new Leftovers(application);
      theJobIsCancelled(application);
      boolean possible = SocketCutter.isPossible();
      if (possible) {
        theConnectionIsCutAHundredTimes(application);
      }
      leftovers.assertNone();
      assumeTrue(possible, "ss -K breaks no connection here, as it does for root");
    }
  }

  private void theConnectionIsCutAHundredTimes(TestApplication application) throws Exception {
    try (OwnerAndReader two = new OwnerAndReader(application, SHUFFLE, folder);
        SocketCutter cutter = new SocketCutter(SocketCutter.fabricPort(two.owner))) {
      cutter.start();
      Reading reading =
          application.run(
              ignored -> {
                List<String> rows = SeededShuffle.sums(two.pieces);
                while (cutter.cuts() < CUTS) {
                  assertEquals(SHUFFLE.expected(), rows);
                  rows = SeededShuffle.sums(two.pieces);
                }
                return rows;
              });
      FaultTable.add(
          "Connection cut in the middle of reads, " + CUTS + " times",
          "tcp",
          "same rows: lists are posted once more, or their blocks go by TCP",
          reading,
          SHUFFLE.expected());
      assertEquals(SHUFFLE.expected(), reading.rows());
      assertTrue(reading.readBlocks() > CUTS, reading::toString);
      assertEquals(0, reading.fetchFailures());
      assertTrue(
          Set.of("connection-lost", "peer-terminated", "peer-in-backoff", "peer-unreachable")
              .containsAll(reading.tcpBlocks().keySet()),
          reading::toString);
      Map<String, Long> counters = application.counters();
      System.out.println("after the cuts: " + counters);
      assertTrue(counters.getOrDefault("connections-opened", 0L) >= CUTS, counters::toString);
      assertTrue(counters.getOrDefault("read-lists-repeated", 0L) > 0, counters::toString);
    }
  }

  /** A reducer waits for a block that doesn't come, since its owner stands still. */
  private void theJobIsCancelled(TestApplication application) throws Exception {
    try (OwnerAndReader two = new OwnerAndReader(application, SHUFFLE, folder)) {
      FileLatch latch = two.latch();
      CompletableFuture<List<String>> job =
          CompletableFuture.supplyAsync(
              () -> {
                application.context.setJobGroup("reads", "to be cancelled", true);
                return SeededShuffle.sums(two.pieces, OwnerAndReader.pause(latch));
              });
      latch.await(two.reader.id());
      long start = System.nanoTime();
      two.owner.stop();
      try {
        latch.open();
        application.context.cancelJobGroup("reads");
        ExecutionException end =
            assertThrows(
                ExecutionException.class, () -> job.get(DEADLINE_SECONDS, TimeUnit.SECONDS));
        FaultTable.add(
            "Job cancelled while it waits for blocks of an executor that stands still",
            "tcp",
            "the job ends at once, as cancelled",
            "the job ended as cancelled",
            (System.nanoTime() - start) / 1e9);
        assertTrue(String.valueOf(end.getMessage()).contains("cancelled"), end::toString);
      } finally {
        two.owner.resume();
      }
    }
  }
}
