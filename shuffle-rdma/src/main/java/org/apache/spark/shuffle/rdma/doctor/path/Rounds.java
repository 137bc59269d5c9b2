package org.apache.spark.shuffle.rdma.doctor.path;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * READs and TCP by turns, in rounds over all sizes, so that what disturbs the machine for a while
 * disturbs both. One thread.
 */
final class Rounds {

  private static final double NANOS_PER_MICRO = 1e3;

  private final Reader reader;
  private final PathClient stream;
  private final PatternedMemory into;
  private final long targetBytes;
  private final List<Long> sizes;
  private final int rounds;

  /** By size and round: READ alone, READ list, TCP alone, TCP stream. */
  private final double[][][] values;

  Rounds(
      Reader reader,
      PathClient stream,
      PatternedMemory into,
      long targetBytes,
      List<Long> sizes,
      int rounds) {
    this.reader = reader;
    this.stream = stream;
    this.into = into;
    this.targetBytes = targetBytes;
    this.sizes = sizes;
    this.rounds = rounds;
    this.values = new double[sizes.size()][4][rounds];
  }

  /** What happens meanwhile. */
  @FunctionalInterface
  interface Step {
    void next(int done, String what);
  }

  /** Runs all; one round before is for warming up, and isn't counted. */
  void run(Step step) throws IOException {
    for (int round = -1; round < rounds; round++) {
      for (int i = 0; i < sizes.size(); i++) {
        step.next(
            Math.max(0, round) * sizes.size() + (round < 0 ? 0 : i),
            round < 0 ? "warming up" : "round " + (round + 1) + " of " + rounds);
        measure(sizes.get(i), values[i], round);
      }
    }
  }

  List<SizeResult> results() {
    List<SizeResult> results = new ArrayList<>();
    for (int i = 0; i < sizes.size(); i++) {
      results.add(
          new SizeResult(
              sizes.get(i),
              Spread.of(values[i][0]),
              Spread.of(values[i][1]),
              Spread.of(values[i][2]),
              Spread.of(values[i][3])));
    }
    return results;
  }

  private void measure(long bytes, double[][] of, int round) throws IOException {
    boolean readFirst = round % 2 == 0;
    if (readFirst) {
      reads(bytes, of, round);
    }
    streams(bytes, of, round);
    if (!readFirst) {
      reads(bytes, of, round);
    }
  }

  private void reads(long bytes, double[][] of, int round) throws IOException {
    int alone = PieceCounts.alone(bytes);
    long start = System.nanoTime();
    for (int i = 0; i < alone; i++) {
      reader.read(from(i, bytes), bytes, 1);
    }
    long between = System.nanoTime();
    int list = listOf(bytes);
    reader.read(0, bytes, list);
    long end = System.nanoTime();
    note(of[0], round, (between - start) / NANOS_PER_MICRO / alone);
    note(of[1], round, (double) bytes * list / (end - between));
  }

  private void streams(long bytes, double[][] of, int round) throws IOException {
    ByteBuffer piece = into.bytes(0, Math.toIntExact(bytes));
    int list = listOf(bytes);
    ByteBuffer pieces = into.bytes(0, Math.toIntExact(bytes * list));
    int alone = PieceCounts.alone(bytes);
    long start = System.nanoTime();
    for (int i = 0; i < alone; i++) {
      stream.stream(piece.clear());
    }
    long between = System.nanoTime();
    stream.stream(pieces);
    long end = System.nanoTime();
    note(of[2], round, (between - start) / NANOS_PER_MICRO / alone);
    // Bytes per nanosecond are gigabytes per second.
    note(of[3], round, (double) bytes * list / (end - between));
  }

  private int listOf(long bytes) {
    return (int) Math.min(PieceCounts.ofList(bytes), targetBytes / bytes);
  }

  private long from(int piece, long bytes) {
    return piece % (targetBytes / bytes) * bytes;
  }

  private static void note(double[] values, int round, double value) {
    if (round >= 0) {
      values[round] = value;
    }
  }
}
