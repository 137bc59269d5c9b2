package org.apache.spark.shuffle.rdma.fetch;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.IntPredicate;
import org.apache.spark.shuffle.rdma.fabric.Connection;
import org.apache.spark.shuffle.rdma.location.LocationCache;
import org.apache.spark.shuffle.rdma.memory.BufferSlice;
import org.apache.spark.shuffle.rdma.memory.OutputLocation;
import org.apache.spark.shuffle.rdma.metrics.Counter;
import org.apache.spark.shuffle.rdma.metrics.FallbackReason;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Blocks of one executor and shuffle on their way: locate, connect, read the index pages that
 * aren't known, read the data. Each step goes on where the one before it completes.
 */
final class Request {

  private static final Logger LOG = LoggerFactory.getLogger(Request.class);

  private final FetchEngine engine;
  private final String executorId;
  private final int shuffleId;
  private final List<WantedOutput> outputs;
  private final Delivery delivery;

  Request(
      FetchEngine engine,
      String executorId,
      int shuffleId,
      List<WantedOutput> outputs,
      Delivery delivery) {
    this.engine = engine;
    this.executorId = executorId;
    this.shuffleId = shuffleId;
    this.outputs = outputs;
    this.delivery = delivery;
  }

  void start() {
    if (engine.peers().inBackoff(executorId)) {
      fallBack(outputs, FallbackReason.PEER_IN_BACKOFF);
      return;
    }
    long[] mapIds = new long[outputs.size()];
    for (int i = 0; i < mapIds.length; i++) {
      mapIds[i] = outputs.get(i).mapId();
    }
    then(engine.locations().locate(executorId, shuffleId, mapIds), guarded(outputs, this::located));
  }

  /**
   * Goes on at once on this thread if the future is done; else on a thread of the engine's own:
   * many tasks may wait for one future, and its thread must not do the reads of all of them.
   */
  private <T> void then(CompletableFuture<T> future, BiConsumer<T, @Nullable Throwable> step) {
    var _ =
        future.isDone()
            ? future.whenComplete(step)
            : future.whenCompleteAsync(step, engine.continuations());
  }

  private void located(LocationCache.@Nullable Located found, @Nullable Throwable failure) {
    if (found == null) {
      LOG.debug("No answer from the directory", failure);
      engine.noteError(
          "driver",
          FallbackReason.DIRECTORY_UNREACHABLE,
          failure == null ? null : FailureReasons.unwrap(failure).getMessage());
      fallBack(outputs, FallbackReason.DIRECTORY_UNREACHABLE);
      return;
    }
    List<WantedOutput> known = filter(outputs, i -> isKnown(outputs.get(i), found, i));
    byte[] address = found.fabricAddress();
    if (known.isEmpty() || address == null) {
      return;
    }
    PostedList.PeerRef peer = new PostedList.PeerRef(executorId, address);
    then(
        engine.peers().connection(executorId, address),
        guarded(known, (made, failed) -> connected(peer, known, made, failed)));
  }

  /** Those at the positions that the test takes, which is asked once for each: often all. */
  private static List<WantedOutput> filter(List<WantedOutput> all, IntPredicate test) {
    List<WantedOutput> some = null;
    for (int i = 0; i < all.size(); i++) {
      boolean taken = test.test(i);
      if (!taken && some == null) {
        some = new ArrayList<>(all.subList(0, i));
      } else if (taken && some != null) {
        some.add(all.get(i));
      }
    }
    return some == null ? all : some;
  }

  /** Locates an output, or lets its blocks fall back. */
  private boolean isKnown(WantedOutput output, LocationCache.Located found, int position) {
    OutputLocation location = found.outputs()[position];
    if (location == null) {
      FallbackReason reason = found.reasons()[position];
      fallBack(List.of(output), reason == null ? FallbackReason.NO_LOCATION : reason);
      return false;
    }
    output.locate(location);
    if (!output.fits()) {
      badPage(output, "has fewer partitions than " + output.blocks() + " want");
      return false;
    }
    return true;
  }

  private void connected(
      PostedList.PeerRef peer,
      List<WantedOutput> known,
      @Nullable Connection connection,
      @Nullable Throwable failure) {
    if (connection == null || failure != null) {
      LOG.debug("No connection to executor {}", executorId, failure);
      FallbackReason reason =
          failure == null ? FallbackReason.INTERNAL_ERROR : FailureReasons.of(failure);
      engine.noteError(
          executorId, reason, failure == null ? null : FailureReasons.unwrap(failure).getMessage());
      fallBack(known, reason);
      return;
    }
    List<WantedOutput> unread = new ArrayList<>();
    long now = engine.nanoTime();
    List<WantedOutput> ready =
        filter(
            known,
            i -> {
              boolean isKnown = pageIsKnown(known.get(i), now);
              if (!isKnown) {
                unread.add(known.get(i));
              }
              return isKnown;
            });
    engine.counters().add(Counter.PAGE_HITS, ready.size());
    new DataReads(this, engine, peer).read(connection, ready);
    new PageReads(this, engine, peer).read(connection, unread);
  }

  private boolean pageIsKnown(WantedOutput output, long now) {
    CachedPage page = engine.pages().get(executorId, shuffleId, output.mapId());
    if (page == null
        || !page.location().equals(output.location())
        || now - page.validatedAtNanos() >= engine.leaseNanos()) {
      return false;
    }
    if (!output.isCoveredBy(page)) {
      return false;
    }
    output.page(page);
    return true;
  }

  String executorId() {
    return executorId;
  }

  /** Delivers a block; the buffer's bytes must stay until this returns. */
  void deliver(BlockRange block, BufferSlice data, Connection.Way way) {
    if (!block.settle()) {
      return;
    }
    engine.counters().increment(Counter.READ_BLOCKS);
    engine.counters().add(Counter.READ_BYTES, data.length());
    engine
        .counters()
        .increment(
            switch (way) {
              case DIRECT -> Counter.READ_BLOCKS_DIRECT;
              case TCP -> Counter.READ_BLOCKS_TCP;
              case VERBS -> Counter.READ_BLOCKS_VERBS;
            });
    engine
        .counters()
        .add(
            switch (way) {
              case DIRECT -> Counter.READ_BYTES_DIRECT;
              case TCP -> Counter.READ_BYTES_TCP;
              case VERBS -> Counter.READ_BYTES_VERBS;
            },
            data.length());
    delivery.delivered(block, data);
  }

  /** An output's page isn't what its location says: it's forgotten, its blocks fall back. */
  void badPage(WantedOutput output, String what) {
    LOG.warn(
        "Map output {} of shuffle {} at executor {} {}; its blocks go by TCP",
        output.mapId(),
        shuffleId,
        executorId,
        what);
    engine.noteError(
        executorId,
        FallbackReason.BAD_PAGE,
        "map output " + output.mapId() + " of shuffle " + shuffleId + " " + what);
    drop(output, FallbackReason.BAD_PAGE);
    fallBack(List.of(output), FallbackReason.BAD_PAGE);
  }

  /** The owner gave the output up: it's forgotten, its blocks fall back. */
  void retired(WantedOutput output) {
    drop(output, FallbackReason.REGION_RETIRED);
    fallBack(List.of(output), FallbackReason.REGION_RETIRED);
  }

  /** Forgets an output: later blocks of it fall back for this reason. */
  void drop(WantedOutput output, FallbackReason reason) {
    engine.pages().drop(executorId, shuffleId, output.mapId());
    engine.locations().drop(executorId, output.location(), reason);
  }

  /** Lets all blocks of these outputs fall back that aren't settled yet. */
  void fallBack(List<WantedOutput> wanted, FallbackReason reason) {
    fallBackBlocks(wanted.stream().flatMap(output -> output.blocks().stream()).toList(), reason);
  }

  /** Lets these blocks fall back as far as they aren't settled yet. */
  void fallBackBlocks(List<BlockRange> blocks, FallbackReason reason) {
    List<BlockRange> unsettled = blocks.stream().filter(BlockRange::settle).toList();
    if (!unsettled.isEmpty()) {
      engine.counters().addTcpBlocks(reason, unsettled.size());
      delivery.fallBack(unsettled, reason);
    }
  }

  /** A defect in a step must not lose its blocks: they fall back, and the log has the defect. */
  private <T> BiConsumer<T, @Nullable Throwable> guarded(
      List<WantedOutput> wanted, BiConsumer<T, @Nullable Throwable> step) {
    return (result, failure) -> {
      try {
        step.accept(result, failure);
      } catch (Throwable t) {
        defect(wanted, t);
      }
    };
  }

  /** Logs a defect of ours; what isn't settled of these outputs falls back. */
  void defect(List<WantedOutput> wanted, Throwable defect) {
    LOG.error("A defect in fetching from executor {}: blocks go by TCP", executorId, defect);
    engine.noteError(executorId, FallbackReason.INTERNAL_ERROR, defect.toString());
    fallBack(wanted, FallbackReason.INTERNAL_ERROR);
  }
}
