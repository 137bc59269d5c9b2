package org.apache.spark.shuffle.rdma.location;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Collections;
import java.util.List;
import org.apache.spark.shuffle.rdma.metrics.CounterSnapshot;
import org.apache.spark.shuffle.rdma.metrics.Counters;
import org.apache.spark.shuffle.rdma.metrics.ExecutorStatus;
import org.apache.spark.shuffle.rdma.metrics.FallbackReason;
import org.apache.spark.shuffle.rdma.metrics.FetchError;
import org.apache.spark.shuffle.rdma.metrics.ReadsByShuffle;
import org.apache.spark.shuffle.rdma.metrics.RecentErrors;
import org.apache.spark.shuffle.rdma.metrics.ShuffleReads;
import org.junit.jupiter.api.Test;

/** What executors tell of themselves, on the wire and at the driver. */
final class StatusTest {

  private static final ShuffleReads READS = new ShuffleReads(4, 1, 10, 2, 20);

  private final Directory directory = new Directory();

  @Test
  void aStatusComesBackAsItWas() throws Exception {
    ExecutorStatus status = status(List.of(error("<é>", 3)), List.of(READS));
    Message.Report report = new Message.Report("1", new long[Counters.SLOTS], status);
    Message.Report back = (Message.Report) Codec.decode(Codec.encode(report));
    assertEquals(status, back.status());
  }

  @Test
  void theLargestStatusFitsAndALargerOneCantBeBuilt() {
    FetchError error =
        new FetchError(
            "x".repeat(Limits.MAX_EXECUTOR_ID_BYTES),
            FallbackReason.DEADLINE,
            "é".repeat(Limits.MAX_STATUS_TEXT_BYTES / 2),
            Long.MAX_VALUE,
            Long.MAX_VALUE);
    long most = Long.MAX_VALUE;
    ShuffleReads reads = new ShuffleReads(Integer.MAX_VALUE, most, most, most, most);
    List<FetchError> errors = Collections.nCopies(RecentErrors.MAX_ERRORS, error);
    List<ShuffleReads> shuffles = Collections.nCopies(ReadsByShuffle.MAX_REPORTED, reads);
    assertTrue(Codec.encode(report(status(errors, shuffles))).length < 64 * 1024);
    assertRefused(status(Collections.nCopies(RecentErrors.MAX_ERRORS + 1, error), shuffles));
    assertRefused(status(errors, Collections.nCopies(ReadsByShuffle.MAX_REPORTED + 1, reads)));
    assertRefused(status(List.of(error("é".repeat(513), 1)), List.of()));
    assertRefused(status(List.of(), List.of(new ShuffleReads(-1, 0, 0, 0, 0))));
    assertRefused(status(List.of(), List.of(new ShuffleReads(1, 0, -1, 0, 0))));
  }

  @Test
  void anUnknownReasonIsRefused() {
    byte[] bytes = Codec.encode(report(status(List.of(error("x", 1)), List.of())));
    // From the end: no shuffles, age, times, detail and its length, then the reason.
    int reasonAt = bytes.length - 6;
    assertEquals(FallbackReason.DEADLINE.ordinal(), bytes[reasonAt]);
    bytes[reasonAt] = (byte) FallbackReason.values().length;
    MalformedMessageException e =
        assertThrows(MalformedMessageException.class, () -> Codec.decode(bytes));
    assertTrue(String.valueOf(e.getMessage()).contains("unknown reason"), e.getMessage());
  }

  @Test
  void theLatestErrorsOfAnExecutorAreKept() {
    hello("1");
    for (int i = 0; i < RecentErrors.MAX_ERRORS + 3; i++) {
      report("1", List.of(error("error " + i, 1)), List.of());
    }
    List<Overview.SeenError> errors = only().errors();
    assertEquals(RecentErrors.MAX_ERRORS, errors.size());
    assertEquals("error 3", errors.getFirst().error().detail());
    assertEquals("error 12", errors.getLast().error().detail());
    assertTrue(errors.getLast().atMillis() <= System.currentTimeMillis());
  }

  @Test
  void readsOfAShuffleAddUpOverReportsUntilItsEnd() {
    hello("1");
    hello("2");
    directory.registerShuffle(4);
    report("1", List.of(), List.of(READS));
    report("2", List.of(), List.of(READS));
    report("2", List.of(), List.of(ShuffleReads.none(9)));
    directory.publish("1", List.of(Samples.location(4, 1), Samples.location(4, 2)));
    long bytes = Samples.location(4, 1).dataLength() + Samples.location(4, 2).dataLength();
    assertEquals(
        List.of(new Overview.Shuffle(4, 2, bytes, READS.plus(READS))),
        directory.overview().shuffles());
    directory.unregisterShuffle(4);
    assertEquals(List.of(), directory.overview().shuffles());
    directory.registerShuffle(4);
    assertEquals(ShuffleReads.none(4), directory.overview().shuffles().getFirst().reads());
  }

  @Test
  void theNewestShufflesAreShownAndTheOthersCounted() {
    for (int id = 0; id < Overview.MAX_SHUFFLES + 5; id++) {
      directory.registerShuffle(id);
    }
    Overview overview = directory.overview();
    assertEquals(Overview.MAX_SHUFFLES, overview.shuffles().size());
    assertEquals(Overview.MAX_SHUFFLES + 4, overview.shuffles().getFirst().id());
    assertEquals(5, overview.moreShuffles());
  }

  @Test
  void aBoundedNumberOfLostExecutorsStays() {
    hello("live");
    for (int i = 0; i < StatusBoard.MAX_LOST + 5; i++) {
      hello("lost " + i);
      report("lost " + i, List.of(error("x", 1)), List.of());
      directory.executorLost("lost " + i);
    }
    List<Overview.Executor> executors = directory.overview().executors();
    assertEquals(StatusBoard.MAX_LOST + 1, executors.size());
    assertTrue(executors.getFirst().live());
    assertFalse(executors.get(1).live());
    assertEquals("lost " + (StatusBoard.MAX_LOST + 4), executors.get(1).id());
    assertEquals(1, executors.get(1).errors().size());
    assertEquals(Samples.status(), executors.get(1).status());
  }

  private void hello(String executorId) {
    assertTrue(directory.hello(Samples.hello(executorId)).accepted());
  }

  private void report(String executorId, List<FetchError> errors, List<ShuffleReads> shuffles) {
    directory.report(executorId, CounterSnapshot.zero(), status(errors, shuffles));
  }

  private Overview.Executor only() {
    assertEquals(1, directory.overview().executors().size());
    return directory.overview().executors().getFirst();
  }

  private static ExecutorStatus status(List<FetchError> errors, List<ShuffleReads> shuffles) {
    return Samples.status().with(errors, shuffles);
  }

  private static FetchError error(String detail, long times) {
    return new FetchError("7", FallbackReason.DEADLINE, detail, times, 1);
  }

  private static Message.Report report(ExecutorStatus status) {
    return new Message.Report("1", new long[Counters.SLOTS], status);
  }

  private static void assertRefused(ExecutorStatus status) {
    assertThrows(IllegalArgumentException.class, () -> report(status));
  }
}
