package org.apache.spark.shuffle.rdma.fetch;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.spark.shuffle.rdma.fabric.Connection;
import org.apache.spark.shuffle.rdma.fabric.FabricException;
import org.apache.spark.shuffle.rdma.metrics.Counter;
import org.apache.spark.shuffle.rdma.metrics.FallbackReason;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A read list on its way: posted with a deadline, and posted once more on a new connection if it
 * may only have been flushed behind another list's failure.
 *
 * <p>Two things end it, in either order: its owner is told once how it went, and the buffer goes
 * back once the fabric no longer writes into it. After a deadline the first comes long before the
 * second: the buffer is in quarantine meanwhile.
 */
final class PostedList implements Deadlines.Waiting {

  /** Told once how a list went. */
  interface Owner {
    /**
     * All reads are done; the buffer's bytes are what was read, and stay so during the call.
     *
     * @param on the connection that they came by, which isn't the first one after a second try
     */
    void done(Connection on);

    /** They aren't; nothing of the buffer may be used. */
    void failed(FallbackReason reason);
  }

  private static final Logger LOG = LoggerFactory.getLogger(PostedList.class);

  private static final int OUTSTANDING = 0;
  private static final int COMPLETED = 1;
  private static final int EXPIRED = 2;

  private final FetchEngine engine;
  private final PeerRef peer;
  private final List<Connection.Read> reads;
  private final Owner owner;
  private final Runnable releaseBuffer;
  private final long repeatUntilNanos;
  private final boolean repeated;
  private final AtomicInteger state = new AtomicInteger(OUTSTANDING);
  private @Nullable Connection connection;
  private long postedNanos;

  /**
   * The peer that a list is for.
   *
   * @param address by which its fabric can be connected to again
   */
  record PeerRef(String executorId, byte[] address) {}

  /**
   * A list not yet posted.
   *
   * @param releaseBuffer run once, after which the reads' destinations may be reused
   * @param repeatUntilNanos on the engine's clock: the earliest end of the outputs' leases; after
   *     it the list isn't posted once more
   */
  PostedList(
      FetchEngine engine,
      PeerRef peer,
      List<Connection.Read> reads,
      long repeatUntilNanos,
      Owner owner,
      Runnable releaseBuffer) {
    this(engine, peer, reads, repeatUntilNanos, owner, releaseBuffer, false);
  }

  private PostedList(
      FetchEngine engine,
      PeerRef peer,
      List<Connection.Read> reads,
      long repeatUntilNanos,
      Owner owner,
      Runnable releaseBuffer,
      boolean repeated) {
    this.engine = engine;
    this.peer = peer;
    this.reads = reads;
    this.repeatUntilNanos = repeatUntilNanos;
    this.owner = owner;
    this.releaseBuffer = releaseBuffer;
    this.repeated = repeated;
  }

  void post(Connection on) {
    connection = on;
    postedNanos = engine.nanoTime();
    engine.counters().increment(Counter.READ_LISTS);
    try {
      on.read(reads, failure -> completed(on, failure));
    } catch (Throwable t) {
      // Nothing was posted, so nothing will complete.
      LOG.error("A defect in posting to executor {}", peer.executorId(), t);
      if (state.compareAndSet(OUTSTANDING, COMPLETED)) {
        releaseBuffer.run();
        fail(FallbackReason.INTERNAL_ERROR, t.toString());
      }
    }
    if (!isDone()) {
      engine.deadlines().add(this);
    }
  }

  @Override
  public boolean isDone() {
    return state.get() != OUTSTANDING;
  }

  /** Lists of a connection are read in turn: one that waits behind others gets on as they do. */
  @Override
  public long progressNanos() {
    return engine.peers().progressSince(peer.executorId(), connection, postedNanos);
  }

  @Override
  public void expire() {
    if (!state.compareAndSet(OUTSTANDING, EXPIRED)) {
      return;
    }
    engine.counters().increment(Counter.READ_LISTS_FAILED);
    // Closing makes the fabric end the list, which brings the buffer back.
    Connection late = connection;
    if (late != null) {
      late.close();
    }
    fail(FallbackReason.DEADLINE, null);
  }

  private void completed(Connection on, @Nullable FabricException failure) {
    if (!state.compareAndSet(OUTSTANDING, COMPLETED)) {
      releaseBuffer.run();
      return;
    }
    engine.counters().recordLatency(engine.nanoTime() - postedNanos);
    if (failure == null) {
      try {
        owner.done(on);
      } finally {
        releaseBuffer.run();
      }
      engine.peers().succeeded(peer.executorId(), on);
      return;
    }
    engine.counters().increment(Counter.READ_LISTS_FAILED);
    FallbackReason reason = FailureReasons.of(failure.kind());
    boolean again =
        !repeated
            && FailureReasons.mayBeFlushed(failure.kind())
            && engine.nanoTime() - repeatUntilNanos < 0
            && !engine.peers().inBackoff(peer.executorId());
    if (again) {
      repeat(reason, failure.getMessage());
    } else {
      releaseBuffer.run();
      fail(reason, failure.getMessage());
    }
  }

  private void repeat(FallbackReason firstReason, @Nullable String detail) {
    PostedList second =
        new PostedList(engine, peer, reads, repeatUntilNanos, owner, releaseBuffer, true);
    var _ =
        engine
            .peers()
            .connection(peer.executorId(), peer.address())
            .whenComplete(
                (made, failure) -> {
                  if (made == null || engine.nanoTime() - repeatUntilNanos >= 0) {
                    releaseBuffer.run();
                    fail(firstReason, detail);
                  } else {
                    engine.counters().increment(Counter.READ_LISTS_REPEATED);
                    second.post(made);
                  }
                });
  }

  private void fail(FallbackReason reason, @Nullable String detail) {
    engine.noteError(peer.executorId(), reason, detail);
    if (FailureReasons.isPeerFailure(reason)) {
      engine.peers().failed(peer.executorId());
    }
    owner.failed(reason);
  }
}
