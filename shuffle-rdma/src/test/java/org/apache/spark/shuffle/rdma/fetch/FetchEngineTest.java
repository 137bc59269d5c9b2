package org.apache.spark.shuffle.rdma.fetch;

import static org.apache.spark.shuffle.rdma.fetch.TwoExecutors.batch;
import static org.apache.spark.shuffle.rdma.fetch.TwoExecutors.block;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.spark.shuffle.rdma.fetch.TwoExecutors.Options;
import org.apache.spark.shuffle.rdma.fetch.TwoExecutors.Outcome;
import org.apache.spark.shuffle.rdma.memory.BufferSlice;
import org.apache.spark.shuffle.rdma.memory.IndexPage;
import org.apache.spark.shuffle.rdma.memory.OutputLocation;
import org.apache.spark.shuffle.rdma.memory.PooledBuffer;
import org.apache.spark.shuffle.rdma.metrics.Counter;
import org.apache.spark.shuffle.rdma.metrics.FallbackReason;
import org.apache.spark.shuffle.rdma.metrics.FetchError;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The whole client path over real fabrics, the direct way and by TCP. */
final class FetchEngineTest {

  @TempDir private Path files;

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void deliversSingleAndBatchedBlocksOfManyOutputs(boolean direct) throws Exception {
    try (TwoExecutors executors = start(direct)) {
      List<String> blocks = new ArrayList<>();
      for (int map = 0; map < 300; map++) {
        executors.output(map, 100 + map, 0, 1, 5000, 70_000);
        blocks.add(block(map, 0));
        blocks.add(batch(map, 1, 4));
        blocks.add(block(map, 4));
      }
      Outcome outcome = executors.fetch(blocks.toArray(String[]::new));
      assertEquals(Map.of(), outcome.fallenBack);
      assertEquals(900, executors.counters.get(Counter.READ_BLOCKS));
      assertEquals(
          900,
          executors.counters.get(direct ? Counter.READ_BLOCKS_DIRECT : Counter.READ_BLOCKS_TCP));
      assertEquals(0, executors.counters.get(Counter.TCP_BLOCKS));
      assertEquals(300, executors.counters.get(Counter.PAGE_READS));
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void readsWideIndexPagesByWindowsAndRemembersThem(boolean direct) throws Exception {
    try (TwoExecutors executors = start(direct)) {
      long[] lengths = new long[2000];
      Arrays.setAll(lengths, partition -> partition % 7);
      executors.output(1, lengths);
      // Both sides of each border between windows, and batches over one border and over three.
      Outcome outcome =
          executors.fetch(
              block(1, 1),
              block(1, 510),
              block(1, 512),
              block(1, 1021),
              block(1, 1023),
              block(1, 1999),
              batch(1, 500, 520),
              batch(1, 0, 2000));
      assertEquals(Map.of(), outcome.fallenBack);
      assertEquals(1, executors.counters.get(Counter.PAGE_READS));
      executors.fetch(block(1, 1530));
      assertEquals(1, executors.counters.get(Counter.PAGE_READS));
      assertEquals(1, executors.counters.get(Counter.PAGE_HITS));
    }
  }

  @Test
  void anUnknownOutputFallsBackAlone() throws Exception {
    try (TwoExecutors executors = start(true)) {
      executors.output(1, 10, 10);
      Outcome outcome = executors.fetch(block(1, 0), block(2, 0), block(1, 1));
      assertEquals(Map.of(block(2, 0), FallbackReason.NO_LOCATION), outcome.fallenBack);
      assertEquals(2, outcome.delivered.size());
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void anOutputThatIsRetiredAfterItsValidationFallsBack(boolean direct) throws Exception {
    try (TwoExecutors executors = start(direct)) {
      executors.output(1, 10, 10);
      executors.output(2, 10, 10);
      assertEquals(Map.of(), executors.fetch(block(1, 0), block(2, 0)).fallenBack);
      executors.outputs.retire(TwoExecutors.SHUFFLE, List.of(1L));
      // The page is still believed for the length of the lease: only the list's end can tell.
      Outcome outcome = executors.fetch(block(1, 1), block(2, 1));
      assertEquals(Map.of(block(1, 1), FallbackReason.REGION_RETIRED), outcome.fallenBack);
      assertEquals(List.of(block(2, 1)), outcome.delivered);
      assertEquals(2, executors.counters.get(Counter.PAGE_READS));
      // Known as gone from now on.
      Outcome later = executors.fetch(block(1, 1));
      assertEquals(Map.of(block(1, 1), FallbackReason.REGION_RETIRED), later.fallenBack);
    }
  }

  @Test
  void anOutputThatIsRetiredBeforeItsValidationFallsBackWithoutAReadOfItsData() throws Exception {
    try (TwoExecutors executors = new TwoExecutors(files, Options.way(true).lease(1))) {
      executors.output(1, 10, 10);
      executors.fetch(block(1, 0));
      executors.outputs.retire(TwoExecutors.SHUFFLE, List.of(1L));
      Thread.sleep(2);
      long lists = executors.counters.get(Counter.READ_LISTS);
      Outcome outcome = executors.fetch(block(1, 1));
      assertEquals(Map.of(block(1, 1), FallbackReason.REGION_RETIRED), outcome.fallenBack);
      assertEquals(1, executors.counters.get(Counter.READ_LISTS) - lists);
    }
  }

  @Test
  void aPlaceThatAnotherPageHasNowMeansThatTheOutputIsRetired() throws Exception {
    try (TwoExecutors executors = start(true)) {
      OutputLocation real = executors.output(1, 10, 10);
      publish(executors, real, 2, real.dataLength(), real.partitions(), real.dataKey());
      Outcome outcome = executors.fetch(block(2, 0), block(1, 1));
      assertEquals(Map.of(block(2, 0), FallbackReason.REGION_RETIRED), outcome.fallenBack);
      assertEquals(List.of(block(1, 1)), outcome.delivered);
    }
  }

  @Test
  void aPageThatSaysSomethingElseThanItsLocationIsABadPage() throws Exception {
    try (TwoExecutors executors = start(true)) {
      OutputLocation longer = executors.output(1, 10, 10);
      publish(executors, longer, 1, longer.dataLength() + 1, 2, longer.dataKey());
      OutputLocation wider = executors.output(2, 10, 10);
      publish(executors, wider, 2, wider.dataLength(), 3, wider.dataKey());
      executors.output(3, 10, 10);
      // The last one has no third partition.
      Outcome outcome = executors.fetch(block(1, 0), block(2, 2), block(3, 2));
      assertEquals(3, outcome.fallenBack.size());
      outcome.fallenBack.values().forEach(reason -> assertEquals(FallbackReason.BAD_PAGE, reason));
    }
  }

  @Test
  void aPageWhoseOffsetsDontFitTheDataIsABadPage() throws Exception {
    try (TwoExecutors executors = start(true)) {
      OutputLocation descending = executors.output(1, 10, 20, 30);
      setOffset(descending, 1, 31);
      OutputLocation truncated = executors.output(2, 10, 20, 30);
      setOffset(truncated, 3, 0);
      OutputLocation short_ = executors.output(3, 10, 20, 30);
      setOffset(short_, 3, 59);
      executors.output(4, 10, 20, 30);
      Outcome outcome = executors.fetch(block(1, 0), block(2, 0), block(3, 0), batch(4, 0, 3));
      assertEquals(List.of(batch(4, 0, 3)), outcome.delivered);
      assertEquals(3, outcome.fallenBack.size());
      outcome.fallenBack.values().forEach(reason -> assertEquals(FallbackReason.BAD_PAGE, reason));
    }
  }

  @Test
  void aBatchWhoseOffsetsDescendFromOneWindowToAnotherIsABadPage() throws Exception {
    try (TwoExecutors executors = start(true)) {
      long[] lengths = new long[1200];
      Arrays.fill(lengths, 4);
      OutputLocation location = executors.output(1, lengths);
      // Each of these two windows ascends, and the one between them isn't read.
      for (int partition = 500; partition <= CachedPage.WINDOW; partition++) {
        setOffset(location, partition, 4800);
      }
      for (int partition = 2 * CachedPage.WINDOW; partition < 1200; partition++) {
        setOffset(location, partition, 0);
      }
      Outcome outcome = executors.fetch(batch(1, 505, 1100));
      assertEquals(Map.of(batch(1, 505, 1100), FallbackReason.BAD_PAGE), outcome.fallenBack);
      executors.awaitBuffersBack();
    }
  }

  /** Spoils a page where it lies, as a defect of its owner would. */
  private static void setOffset(OutputLocation location, int partition, long offset) {
    MemorySegment.ofAddress(location.pageAddress() + IndexPage.offsetPosition(partition))
        .reinterpret(Long.BYTES)
        .set(ValueLayout.JAVA_LONG, 0, offset);
  }

  @Test
  void anEmptyBlockThatSparkWantsIsABadPage() throws Exception {
    try (TwoExecutors executors = start(true)) {
      executors.output(1, 10, 0, 10);
      Outcome outcome = executors.fetch(block(1, 1));
      assertEquals(Map.of(block(1, 1), FallbackReason.BAD_PAGE), outcome.fallenBack);
    }
  }

  @Test
  void aWrongKeyIsAnAccessErrorOfItsListAndNotOfThePeer() throws Exception {
    try (TwoExecutors executors = start(false)) {
      OutputLocation real = executors.register(1, 10, 10);
      publish(executors, real, 1, real.dataLength(), real.partitions(), real.dataKey() ^ 1);
      executors.output(2, 10);
      Outcome outcome = executors.fetch(block(1, 0));
      assertEquals(Map.of(block(1, 0), FallbackReason.ACCESS_ERROR), outcome.fallenBack);
      assertEquals(Map.of(), executors.fetch(block(2, 0)).fallenBack);
      Outcome later = executors.fetch(block(1, 0));
      assertEquals(Map.of(block(1, 0), FallbackReason.ACCESS_ERROR), later.fallenBack);
    }
  }

  @Test
  void whatASmallPoolCantHoldAtOnceComesByMoreLists() throws Exception {
    Options options = Options.way(true).pool(1 << 16);
    try (TwoExecutors executors = new TwoExecutors(files, options)) {
      executors.output(1, 30_000, 30_000, 30_000);
      // So that the page is known, and needs no buffer beside the blocks.
      executors.fetch(block(1, 0));
      executors.awaitBuffersBack();
      Outcome outcome = executors.fetch(block(1, 0), block(1, 1), block(1, 2));
      assertEquals(Map.of(), outcome.fallenBack);
    }
  }

  @Test
  void aDryPoolAndALargeBlockFallBackWithoutWaiting() throws Exception {
    Options options = Options.way(true).pool(1 << 20);
    try (TwoExecutors executors = new TwoExecutors(files, options)) {
      executors.output(1, 1 << 20, 10);
      Outcome large = executors.fetch(block(1, 0), block(1, 1));
      assertEquals(Map.of(block(1, 0), FallbackReason.BLOCK_TOO_LARGE), large.fallenBack);
      executors.awaitBuffersBack();
      PooledBuffer all = Objects.requireNonNull(executors.pool.take(1 << 20));
      Outcome dry = executors.fetch(block(1, 1));
      assertEquals(Map.of(block(1, 1), FallbackReason.POOL_DRY), dry.fallenBack);
      all.release();
      assertEquals(Map.of(), executors.fetch(block(1, 1)).fallenBack);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aPeerThatIsGoneFallsBackAndGetsAPause(boolean direct) throws Exception {
    try (TwoExecutors executors = start(direct)) {
      executors.output(1, 10, 10);
      executors.ownerFabric.close();
      Outcome outcome = executors.fetch(block(1, 0));
      assertEquals(1, outcome.fallenBack.size(), outcome.fallenBack::toString);
      Outcome later = executors.fetch(block(1, 1));
      assertEquals(Map.of(block(1, 1), FallbackReason.PEER_IN_BACKOFF), later.fallenBack);
    }
  }

  @Test
  void readsThatWereOnlyFlushedArePostedOnceMore() throws Exception {
    try (TwoExecutors executors = faulty(FaultyFabric.Fault.FLUSH_FIRST, Options.way(true))) {
      executors.output(1, 10, 10);
      Outcome outcome = executors.fetch(block(1, 0), block(1, 1));
      assertEquals(Map.of(), outcome.fallenBack);
      assertEquals(1, executors.counters.get(Counter.READ_LISTS_REPEATED));
      assertEquals(2, executors.counters.get(Counter.CONNECTIONS_OPENED));
    }
  }

  @Test
  void readsThatAreFlushedAgainFallBack() throws Exception {
    try (TwoExecutors executors = faulty(FaultyFabric.Fault.FLUSH_ALL, Options.way(true))) {
      executors.output(1, 10, 10);
      Outcome outcome = executors.fetch(block(1, 0));
      assertEquals(Map.of(block(1, 0), FallbackReason.CONNECTION_LOST), outcome.fallenBack);
      assertEquals(1, executors.counters.get(Counter.READ_LISTS_REPEATED));
    }
  }

  @Test
  void aReadThatTakesTooLongFallsBackAndItsBufferComesBackWithItsCompletion() throws Exception {
    Options options = Options.way(true).readTimeout(20);
    try (TwoExecutors executors = faulty(FaultyFabric.Fault.STALL, options)) {
      executors.output(1, 10, 10);
      Outcome outcome = executors.fetch(block(1, 0));
      assertEquals(Map.of(block(1, 0), FallbackReason.DEADLINE), outcome.fallenBack);
      Outcome later = executors.fetch(block(1, 1));
      assertEquals(Map.of(block(1, 1), FallbackReason.PEER_IN_BACKOFF), later.fallenBack);
      // The cause is an error to look at; what follows from it isn't another one.
      List<FetchError> errors = executors.counters.errors().drain(System.nanoTime());
      assertEquals(1, errors.size(), errors::toString);
      assertEquals(TwoExecutors.OWNER, errors.getFirst().peer());
      assertEquals(FallbackReason.DEADLINE, errors.getFirst().reason());
    }
  }

  @Test
  void aDeliveredBlockIsTheTasksUntilItReleasesIt() throws Exception {
    try (TwoExecutors executors = start(true)) {
      executors.output(1, 100);
      CompletableFuture<BufferSlice> arrival = new CompletableFuture<>();
      BlockRange wanted = Objects.requireNonNull(BlockRange.parse(block(1, 0)));
      executors.engine.fetch(
          TwoExecutors.OWNER,
          List.of(wanted),
          new Delivery() {
            @Override
            public void delivered(BlockRange range, BufferSlice data) {
              data.retain();
              arrival.complete(data);
            }

            @Override
            public void fallBack(List<BlockRange> blocks, FallbackReason reason) {
              arrival.completeExceptionally(new AssertionError(reason));
            }
          });
      BufferSlice kept = arrival.get(60, TimeUnit.SECONDS);
      assertTrue(executors.counters.get(Counter.POOL_BYTES_IN_USE) > 0);
      byte[] bytes = kept.inputStream().readAllBytes();
      assertEquals(Arrays.toString(executors.expected(wanted)), Arrays.toString(bytes));
      kept.release();
    }
  }

  private TwoExecutors start(boolean direct) throws IOException {
    return new TwoExecutors(files, Options.way(direct));
  }

  private TwoExecutors faulty(FaultyFabric.Fault fault, Options options) throws IOException {
    return new TwoExecutors(files, options, real -> new FaultyFabric(real, fault));
  }

  private static void publish(
      TwoExecutors executors,
      OutputLocation real,
      long mapId,
      long dataLength,
      int partitions,
      long dataKey) {
    executors.directory.publish(
        TwoExecutors.OWNER,
        List.of(
            new OutputLocation(
                real.shuffleId(),
                mapId,
                partitions,
                real.dataAddress(),
                dataLength,
                dataKey,
                real.pageAddress(),
                real.pageKey())));
  }
}
