package org.apache.spark.shuffle.rdma.location;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.apache.spark.shuffle.rdma.location.LocationCache.Located;
import org.apache.spark.shuffle.rdma.memory.Absence;
import org.apache.spark.shuffle.rdma.memory.OutputLocation;
import org.apache.spark.shuffle.rdma.metrics.Counter;
import org.apache.spark.shuffle.rdma.metrics.Counters;
import org.apache.spark.shuffle.rdma.metrics.FallbackReason;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LocationCacheTest {

  private static final long TIMEOUT_MILLIS = 1000;

  private final HeldTransport transport = new HeldTransport();
  private final Directory directory = transport.directory;
  private final Counters counters = new Counters();
  private final ManualTimer timer = new ManualTimer();
  private long epoch;
  private final LocationCache cache =
      new LocationCache(transport, counters, () -> epoch, TIMEOUT_MILLIS, timer);

  @BeforeEach
  void start() {
    directory.registerShuffle(1);
    directory.registerShuffle(2);
    assertTrue(directory.hello(Samples.hello("a")).accepted());
    assertTrue(directory.hello(Samples.hello("b")).accepted());
  }

  @AfterEach
  void noDeadlineIsLeftBehind() {
    assertEquals(0, timer.pending());
  }

  private void publish(String executorId, long... mapIds) {
    for (long mapId : mapIds) {
      assertEquals(1, directory.publish(executorId, List.of(Samples.location(1, mapId))));
    }
  }

  private CompletableFuture<Located> locate(String executorId, long... mapIds) {
    return cache.locate(executorId, 1, mapIds);
  }

  /** The map ids that were found, by position; null for a missing one. */
  private static void assertFound(
      CompletableFuture<Located> future, @Nullable Long... expectedMapIds) {
    assertTrue(future.isDone(), "not answered yet");
    @Nullable OutputLocation[] outputs = future.join().outputs();
    assertEquals(expectedMapIds.length, outputs.length);
    for (int i = 0; i < outputs.length; i++) {
      Long expected = expectedMapIds[i];
      assertEquals(expected == null ? null : Samples.location(1, expected), outputs[i]);
    }
  }

  private static String failure(CompletableFuture<Located> future) {
    assertTrue(future.isDone(), "not ended yet");
    CompletionException e = assertThrows(CompletionException.class, future::join);
    return String.valueOf(
        assertInstanceOf(DirectoryUnreachableException.class, e.getCause()).getMessage());
  }

  @Test
  void concurrentMissesShareOneLookup() {
    publish("a", 10, 11);
    publish("b", 12);
    CompletableFuture<Located> first = locate("a", 11, 10);
    CompletableFuture<Located> second = locate("b", 12);
    assertFalse(first.isDone());
    transport.deliver();
    assertFound(first, 11L, 10L);
    assertFound(second, 12L);
    assertArrayEquals(Samples.hello("a").fabricAddress(), first.join().fabricAddress());
    assertEquals(1, transport.asks);
    assertEquals(1, counters.get(Counter.LOOKUPS));
  }

  @Test
  void whatIsCachedIsThereAtOnceAndCounted() {
    publish("a", 10, 11);
    var _ = locate("a", 10);
    transport.deliver();
    assertFound(locate("a", 10, 11), 10L, 11L);
    assertFound(locate("a"));
    assertEquals(1, transport.asks);
    assertEquals(2, counters.get(Counter.LOCATION_HITS));
    assertEquals(0, counters.get(Counter.LOCATION_MISSES));
  }

  @Test
  void theTablesThatWerentUsedForLongestMakeRoom() {
    LocationCache small =
        new LocationCache(transport, counters, () -> epoch, TIMEOUT_MILLIS, timer, 4);
    for (int shuffle = 1; shuffle <= 3; shuffle++) {
      directory.registerShuffle(shuffle);
      directory.publish("a", List.of(Samples.location(shuffle, 10), Samples.location(shuffle, 11)));
    }
    for (int shuffle : new int[] {1, 2}) {
      var _ = small.locate("a", shuffle, new long[] {10});
      transport.deliver();
    }
    assertTrue(small.locate("a", 1, new long[] {10}).isDone(), "both have room");
    var _ = small.locate("a", 3, new long[] {10});
    transport.deliver();
    assertTrue(small.locate("a", 1, new long[] {11}).isDone(), "it was used after the second one");
    assertTrue(small.locate("a", 3, new long[] {11}).isDone(), "the last one stays");
    CompletableFuture<Located> again = small.locate("a", 2, new long[] {11});
    assertFalse(again.isDone(), "it made room");
    transport.deliver();
    assertEquals(Samples.location(2, 11), again.join().outputs()[0]);
  }

  @Test
  void shufflesAreLookedUpApart() {
    publish("a", 10);
    var _ = locate("a", 10);
    CompletableFuture<Located> other = cache.locate("a", 2, new long[] {10});
    assertEquals(2, transport.inFlight());
    transport.deliver();
    transport.deliver();
    assertFound(other, (Long) null);
  }

  @Test
  void aTableInManyChunksIsAskedToItsEnd() {
    transport.holds = false;
    for (int e = 0; e < 2500; e++) {
      byte[] address = new byte[500];
      address[0] = (byte) e;
      assertTrue(
          directory
              .hello(new Message.Hello("x" + e, "verbs", address, Codec.PROTOCOL_VERSION))
              .accepted());
      publish("x" + e, e);
    }
    assertFound(locate("x2499", 2499), 2499L);
    assertFound(locate("x0", 0), 0L);
    assertEquals(3, transport.asks);
  }

  @Test
  void anOutputOfAnEarlyChunkIsAnsweredBeforeTheLast() {
    for (int e = 0; e < 1500; e++) {
      assertTrue(
          directory
              .hello(new Message.Hello("x" + e, "v", new byte[500], Codec.PROTOCOL_VERSION))
              .accepted());
      publish("x" + e, e);
    }
    CompletableFuture<Located> early = locate("x0", 0);
    CompletableFuture<Located> late = locate("x1499", 1499);
    transport.deliver();
    assertFound(early, 0L);
    assertFalse(late.isDone());
    transport.deliver();
    assertFound(late, 1499L);
    assertEquals(0, transport.inFlight());
  }

  @Test
  void aMissingOutputIsLookedUpOnceAndRemembered() {
    publish("a", 10);
    CompletableFuture<Located> first = locate("a", 10, 99);
    transport.deliver();
    assertFound(first, 10L, null);
    assertFound(locate("a", 99, 10), null, 10L);
    CompletableFuture<Located> unknown = locate("nobody", 99);
    transport.deliver();
    assertFound(unknown, (Long) null);
    assertNull(unknown.join().fabricAddress());
    assertFound(locate("nobody", 99), (Long) null);
    assertEquals(2, transport.asks);
    assertEquals(4, counters.get(Counter.LOCATION_MISSES));
  }

  @Test
  void aNewEpochForgetsMisses() {
    var _ = locate("a", 10);
    transport.deliver();
    publish("a", 10);
    assertFound(locate("a", 10), (Long) null);
    epoch++;
    CompletableFuture<Located> again = locate("a", 10);
    transport.deliver();
    assertFound(again, 10L);
  }

  @Test
  void aNewVersionForgetsMisses() {
    var _ = locate("a", 99);
    transport.deliver();
    publish("a", 10);
    var _ = locate("a", 10);
    transport.deliver();
    CompletableFuture<Located> again = locate("a", 99);
    assertEquals(1, transport.inFlight());
    transport.deliver();
    assertFound(again, (Long) null);
    assertFound(locate("a", 99), (Long) null);
  }

  @Test
  void aRequestDuringALookupIsntProvenMissingByIt() {
    CompletableFuture<Located> before = locate("a", 10);
    byte[] answer = transport.reach();
    // The directory has answered by now; the publication comes after that, then its reducer.
    publish("a", 10);
    CompletableFuture<Located> during = locate("a", 10);
    assertEquals(1, transport.inFlight(), "one at a time");
    transport.arrive(answer);
    assertFound(before, (Long) null);
    assertFalse(during.isDone());
    assertEquals(1, transport.inFlight());
    transport.deliver();
    assertFound(during, 10L);
    assertEquals(2, transport.asks);
  }

  @Test
  void manyRequestsDuringALookupShareTheOneThatFollows() {
    var _ = locate("a", 10);
    CompletableFuture<Located> second = locate("a", 10);
    CompletableFuture<Located> third = locate("a", 11);
    transport.deliver();
    CompletableFuture<Located> duringTheSecond = locate("a", 12);
    transport.deliver();
    assertFound(second, (Long) null);
    assertFound(third, (Long) null);
    assertFalse(duringTheSecond.isDone());
    transport.deliver();
    assertFound(duringTheSecond, (Long) null);
    assertEquals(3, transport.asks);
    assertEquals(0, transport.inFlight());
  }

  @Test
  void aRequestBeforeTheLastChunkIsAskedForIsProvenMissingByIt() {
    for (int e = 0; e < 1500; e++) {
      assertTrue(
          directory
              .hello(new Message.Hello("x" + e, "v", new byte[500], Codec.PROTOCOL_VERSION))
              .accepted());
      publish("x" + e, e);
    }
    var _ = locate("a", 5000);
    CompletableFuture<Located> during = locate("a", 5001);
    transport.deliver();
    transport.deliver();
    assertFound(during, (Long) null);
    assertEquals(2, transport.asks);
  }

  @Test
  void aDroppedOutputIsMissingUntilItsPublishedAgain() {
    publish("a", 10, 11);
    var _ = locate("a", 10);
    transport.deliver();
    cache.drop("a", Samples.location(1, 10), FallbackReason.REGION_RETIRED);
    CompletableFuture<Located> dropped = locate("a", 10, 11);
    assertFound(dropped, null, 11L);
    assertEquals(FallbackReason.REGION_RETIRED, dropped.join().reasons()[0]);
    assertEquals(1, transport.asks);
    publish("a", 10);
    epoch++;
    CompletableFuture<Located> again = locate("a", 10);
    transport.deliver();
    assertFound(again, 10L);
    OutputLocation current = Samples.location(1, 10);
    cache.drop(
        "a",
        new OutputLocation(1, 10, 1, current.dataAddress(), 1, 1, current.pageAddress(), 1),
        FallbackReason.BAD_PAGE);
    assertFound(locate("a", 10), 10L);
    cache.drop("a", current, FallbackReason.ACCESS_ERROR);
    assertFound(locate("a", 10), (Long) null);
    cache.drop("nobody", Samples.location(7, 3), FallbackReason.BAD_PAGE);
  }

  @Test
  void tombstonesAndLossesReachTheCache() {
    publish("a", 10, 11);
    publish("b", 12);
    var _ = locate("a", 10);
    transport.deliver();
    directory.absent("a", 1, Absence.RETIRED, 10);
    directory.executorLost("b");
    assertFound(locate("b", 12), 12L);
    var _ = locate("a", 99);
    transport.deliver();
    CompletableFuture<Located> retired = locate("a", 10, 11);
    CompletableFuture<Located> lost = locate("b", 12);
    assertFound(retired, null, 11L);
    assertEquals(FallbackReason.REGION_RETIRED, retired.join().reasons()[0]);
    transport.deliver();
    assertFound(lost, (Long) null);
  }

  @Test
  void whatIsNeverThereIsKnownWithoutAskingAgain() {
    directory.absent("a", 1, Absence.OVER_BUDGET, 10);
    directory.absent("a", 1, Absence.NOT_REGISTERED, 11);
    directory.absent("a", 1, Absence.RETIRED, 12);
    var _ = locate("a", 10);
    transport.deliver();
    CompletableFuture<Located> known = locate("a", 10, 11);
    assertFound(known, null, null);
    assertEquals(FallbackReason.OVER_BUDGET, known.join().reasons()[0]);
    assertEquals(FallbackReason.NOT_REGISTERED, known.join().reasons()[1]);
    assertEquals(1, transport.asks);
    CompletableFuture<Located> unknown = locate("a", 12);
    transport.deliver();
    assertEquals(FallbackReason.NO_LOCATION, unknown.join().reasons()[0]);
    assertEquals(1, counters.get(Counter.LOCATION_MISSES));
  }

  @Test
  void aRestartedExecutorsOutputsHaveItsNewAddress() {
    publish("a", 10);
    var _ = locate("a", 10);
    transport.deliver();
    assertTrue(directory.hello(Samples.hello("a", 9)).accepted());
    publish("a", 11);
    CompletableFuture<Located> both = locate("a", 10, 11);
    transport.deliver();
    assertFound(both, null, 11L);
    assertArrayEquals(Samples.hello("a", 9).fabricAddress(), both.join().fabricAddress());
  }

  @Test
  void aFailedLookupFailsItsWaitersAndPoisonsNothing() {
    publish("a", 10);
    CompletableFuture<Located> first = locate("a", 10);
    CompletableFuture<Located> second = locate("a", 99);
    transport.fail("connection reset");
    assertTrue(failure(first).contains("connection reset"));
    assertTrue(failure(second).contains("connection reset"));
    CompletableFuture<Located> again = locate("a", 10);
    transport.deliver();
    assertFound(again, 10L);
    assertEquals(1, counters.get(Counter.LOOKUPS_FAILED));
    assertEquals(2, counters.get(Counter.LOOKUPS));
  }

  @Test
  void unusableAnswersAreFailures() {
    publish("a", 10);
    for (byte[] answer :
        List.of(
            new byte[0],
            new byte[] {1, 2, 3},
            Codec.encode(new Message.HelloReply(null)),
            Codec.encode(new Message.LookupReply(2, 0, 0, List.of())),
            Codec.encode(new Message.LookupReply(1, 5, 5, List.of())))) {
      CompletableFuture<Located> future = locate("a", 10);
      transport.arrive(answer);
      assertTrue(failure(future).contains("answer"), failure(future));
    }
    CompletableFuture<Located> again = locate("a", 10);
    transport.deliver();
    assertFound(again, 10L);
  }

  @Test
  void anAnswerAfterTheDeadlineChangesNothing() {
    publish("a", 10);
    CompletableFuture<Located> first = locate("a", 10);
    byte[] late = transport.reach();
    timer.advance(TIMEOUT_MILLIS);
    assertTrue(failure(first).contains("1000 ms"));
    CompletableFuture<Located> second = locate("a", 10);
    assertEquals(2, transport.inFlight());
    transport.arrive(late);
    assertFalse(second.isDone());
    transport.deliver();
    assertFound(second, 10L);
  }

  @Test
  void aRequestsDeadlineCountsFromItself() {
    CompletableFuture<Located> first = locate("a", 10);
    timer.advance(TIMEOUT_MILLIS - 1);
    CompletableFuture<Located> second = locate("a", 11);
    transport.deliver();
    assertFound(first, (Long) null);
    timer.advance(TIMEOUT_MILLIS - 1);
    assertFalse(second.isDone());
    timer.advance(1);
    failure(second);
    assertEquals(1, transport.inFlight());
    CompletableFuture<Located> third = locate("a", 12);
    transport.fail("the transport gave up by itself");
    assertEquals(1, transport.inFlight(), "the third request's own");
    transport.deliver();
    assertFound(third, (Long) null);
  }

  @Test
  void unregisteringForgetsTheShuffleAndStrandsNobody() {
    publish("a", 10);
    var _ = locate("a", 10);
    transport.deliver();
    CompletableFuture<Located> waiting = locate("a", 99);
    cache.unregisterShuffle(1);
    directory.unregisterShuffle(1);
    CompletableFuture<Located> after = locate("a", 10);
    assertEquals(2, transport.inFlight());
    transport.deliver();
    transport.deliver();
    assertFound(waiting, (Long) null);
    assertFound(after, (Long) null);
  }

  @Test
  void aTableThatWentBackIsReadAfresh() {
    publish("a", 10, 11);
    var _ = locate("a", 10);
    transport.deliver();
    directory.unregisterShuffle(1);
    directory.registerShuffle(1);
    publish("a", 12);
    CompletableFuture<Located> future = locate("a", 11, 12);
    transport.deliver();
    if (!future.isDone()) {
      transport.deliver();
    }
    assertFound(future, null, 12L);
  }

  @Test
  void aStoppedTimerFailsRequestsInsteadOfStrandingThem() {
    timer.shutdown();
    failure(locate("a", 10));
    failure(locate("a", 10));
  }
}
