package org.sparkrdma.it.jobs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.sparkrdma.it.jobs.TestApplication.Reading;

/** Executors that stand still or die while another one reads from them. */
final class DeadExecutorsIT {

  private static final SeededShuffle SHUFFLE = new SeededShuffle(16, 4, 48 << 10);

  /** Longer than a read list's deadline and the time in which that's noticed. */
  private static final long STOP_MILLIS = 4000;

  @TempDir private Path folder;

  @Test
  void onTheDirectWay() throws Exception {
    try (TestApplication application = TestApplication.withRdma(OwnerAndReader.conf("direct"))) {
      Leftovers leftovers = new Leftovers(application);
      standsStillAndIsReadAllTheSame(application);
      isKilled(application, "direct");
      leftovers.assertNone();
    }
  }

  @Test
  @DisabledIfSystemProperty(
      named = "sparkrdma.it.fabric",
      matches = "verbs",
      disabledReason = "that fabric has one way, and the test before is of it")
  @EnabledIfSystemProperty(
      named = "rdma.extended",
      matches = "true",
      disabledReason = "to save half a minute: mvn verify -Pextended runs it")
  void onTheTcpWay() throws Exception {
    try (TestApplication application = TestApplication.withRdma(OwnerAndReader.conf("tcp"))) {
      Leftovers leftovers = new Leftovers(application);
      standsStillForLongerThanTheDeadline(application);
      isKilled(application, "tcp");
      leftovers.assertNone();
    }
  }

  /** One-sided reads need nothing of their target's processor. */
  private void standsStillAndIsReadAllTheSame(TestApplication application) throws Exception {
    try (OwnerAndReader two = new OwnerAndReader(application, SHUFFLE, folder)) {
      try {
        // It stands still until the job is over.
        Reading reading =
            two.read(
                "Executor stands still (SIGSTOP) while another reads from it",
                "direct",
                "same rows, without any delay: nothing runs there to be read",
                two.owner::stop);
        SameRowsIT.assertAllByRead(reading, "while the owner stood still");
      } finally {
        two.owner.resume();
      }
    }
  }

  private void standsStillForLongerThanTheDeadline(TestApplication application) throws Exception {
    try (OwnerAndReader two = new OwnerAndReader(application, SHUFFLE, folder)) {
      Reading reading =
          two.read(
              "Executor stands still (SIGSTOP) for longer than the read deadline",
              "tcp",
              "same rows, as soon as it goes on",
              () -> {
                two.owner.stop();
                Thread.ofPlatform().start(() -> resumeLater(two.owner));
              });
      Map<String, Long> tcp = reading.tcpBlocks();
      assertTrue(tcp.getOrDefault("deadline", 0L) > 0, reading::toString);
      assertTrue(
          Set.of("deadline", "peer-in-backoff", "peer-unreachable").containsAll(tcp.keySet()),
          reading::toString);
      assertTrue(reading.readBlocks() > 0, reading::toString);
      assertEquals(0, reading.fetchFailures());
    }
  }

  private void isKilled(TestApplication application, String way) throws Exception {
    try (OwnerAndReader two = new OwnerAndReader(application, SHUFFLE, folder)) {
      Reading reading =
          two.read(
              "Executor killed (SIGKILL) while another reads from it",
              way,
              "same rows, after the lost map tasks have run again",
              two.owner::kill);
      assertTrue(reading.readBlocks() > 0, reading::toString);
      assertTrue(reading.fetchFailures() > 0, reading::toString);
      assertTrue(
          FaultsIT.AFTER_A_KILL.containsAll(reading.tcpBlocks().keySet()), reading::toString);
      assertFalse(ProcessHandle.of(two.owner.pid()).isPresent(), "the owner lives");
    }
  }

  private static void resumeLater(ExecutorProcess stopped) {
    try {
      Thread.sleep(STOP_MILLIS);
      stopped.resume();
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
