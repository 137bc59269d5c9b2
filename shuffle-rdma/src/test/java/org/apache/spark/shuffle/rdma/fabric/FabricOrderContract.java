package org.apache.spark.shuffle.rdma.fabric;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.spark.shuffle.rdma.fabric.Connection.Read;
import org.junit.jupiter.api.Test;

/**
 * The order within a list, on which the generation check of shuffle outputs rests: an owner changes
 * the header first and the data behind it; a reader who reads data first and the header last must
 * not see new data with an old header.
 */
public abstract class FabricOrderContract extends FabricHarness {

  private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle();

  /** Lists that must have met a change, and how many may be tried for that. */
  private static final int OVERLAPS = 10;

  private static final int MOST = 1_000_000;

  /** How many lists are read, at least. */
  protected int lists() {
    return 3000;
  }

  @Test
  void smallReadsOfAListTakeEffectInOrder() throws Exception {
    order(12, Long.BYTES);
  }

  @Test
  void manyReadsOfAListTakeEffectInOrder() throws Exception {
    order(700, Long.BYTES);
  }

  @Test
  void largeReadsOfAListTakeEffectInOrder() throws Exception {
    order(9, 20_000);
  }

  /**
   * The writer counts up in every piece, the last one (the header) first; so each piece, read in
   * order, must be at least what the ones before it were.
   */
  private void order(int pieces, int pieceBytes) throws Exception {
    Fabric server = start("server");
    Fabric client = start("client");
    Region from = remote(server, (long) pieces * pieceBytes);
    Region to = local(client, from.length());
    List<Read> reads = new ArrayList<>();
    for (int i = 0; i < pieces; i++) {
      reads.add(read(from, to, (long) i * pieceBytes, pieceBytes));
    }
    AtomicBoolean stop = new AtomicBoolean();
    Thread writer = Thread.ofPlatform().start(() -> count(from, pieces, pieceBytes, stop));
    int overlaps = 0;
    try (Connection connection = connect(client, server.address())) {
      for (int round = 0; round < lists() || (overlaps < OVERLAPS && round < MOST); round++) {
        succeed(connection, reads);
        overlaps += check(to, pieces, pieceBytes) ? 1 : 0;
      }
    } finally {
      stop.set(true);
      writer.join();
    }
    assertTrue(overlaps >= OVERLAPS, "no change came within a list, so no order was seen");
  }

  private static void count(Region from, int pieces, int pieceBytes, AtomicBoolean stop) {
    for (long value = 1; !stop.get(); value++) {
      for (int piece = pieces - 1; piece >= 0; piece--) {
        long at = (long) piece * pieceBytes;
        WORD.setRelease(from.memory(), at, value);
        WORD.setRelease(from.memory(), at + pieceBytes - Long.BYTES, value);
      }
    }
  }

  /** True if the list overlapped with a change, so that the order could be seen. */
  private static boolean check(Region to, int pieces, int pieceBytes) {
    long before = 0;
    boolean overlapped = false;
    for (int piece = 0; piece < pieces; piece++) {
      long first = to.memory().get(ValueLayout.JAVA_LONG, (long) piece * pieceBytes);
      long end = (long) (piece + 1) * pieceBytes - Long.BYTES;
      long last = to.memory().get(ValueLayout.JAVA_LONG, end);
      int index = piece;
      long least = before;
      assertTrue(
          Math.min(first, last) >= least,
          () -> "piece " + index + " is " + first + ".." + last + " behind " + least);
      overlapped |= piece > 0 && Math.max(first, last) != before;
      before = Math.max(before, Math.max(first, last));
    }
    return overlapped;
  }
}
