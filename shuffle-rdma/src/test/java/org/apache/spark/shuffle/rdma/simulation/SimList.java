package org.apache.spark.shuffle.rdma.simulation;

import java.lang.foreign.ValueLayout;
import java.util.List;
import org.apache.spark.shuffle.rdma.fabric.Connection;
import org.apache.spark.shuffle.rdma.fabric.FabricException;
import org.apache.spark.shuffle.rdma.memory.IndexPage;
import org.jspecify.annotations.Nullable;

/** A read list on the simulated network. */
final class SimList {

  /** Bytes of a read of a generation; no block and no window is so short. */
  private static final int GENERATION_BYTES = 8;

  private static final byte GARBAGE = (byte) 0xee;

  final List<Connection.Read> reads;
  final long postedMillis;

  /** What goes wrong with it; null if nothing does. */
  final @Nullable Fault fate;

  /** The read that it goes wrong at. */
  final int fateAt;

  private final Connection.Completion completion;
  int next;
  boolean ended;
  FabricException.@Nullable Kind failure;

  SimList(
      List<Connection.Read> reads,
      Connection.Completion completion,
      long postedMillis,
      @Nullable Fault fate,
      int fateAt) {
    this.reads = reads;
    this.completion = completion;
    this.postedMillis = postedMillis;
    this.fate = fate;
    this.fateAt = fateAt;
  }

  boolean isDone() {
    return next == reads.size();
  }

  /** Whether it read the generation of one output alone, and that output had been given up. */
  boolean sawRetirement() {
    long generations = reads.stream().filter(SimList::isOfGeneration).count();
    Connection.Read last = reads.getLast();
    return generations == 1
        && isOfGeneration(last)
        && last.local().memory().get(ValueLayout.JAVA_LONG_UNALIGNED, last.localOffset())
            == IndexPage.RETIRED;
  }

  private static boolean isOfGeneration(Connection.Read read) {
    return read.lengthBytes() == GENERATION_BYTES;
  }

  /** Ends it once. Until then a network may write whatever it likes into the destinations. */
  void end(FabricException.@Nullable Kind why) {
    if (ended) {
      return;
    }
    ended = true;
    failure = why;
    if (why == null) {
      completion.complete(null);
      return;
    }
    for (Connection.Read read : reads) {
      read.local().memory().asSlice(read.localOffset(), read.lengthBytes()).fill(GARBAGE);
    }
    completion.complete(new FabricException(why, "simulated"));
  }
}
