package org.apache.spark.shuffle.rdma.location;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.spark.shuffle.rdma.memory.Absence;
import org.apache.spark.shuffle.rdma.memory.IndexPage;
import org.apache.spark.shuffle.rdma.memory.OutputLocation;
import org.apache.spark.shuffle.rdma.metrics.Counters;
import org.apache.spark.shuffle.rdma.metrics.ExecutorStatus;
import org.apache.spark.shuffle.rdma.metrics.FallbackReason;
import org.apache.spark.shuffle.rdma.metrics.FetchError;
import org.apache.spark.shuffle.rdma.metrics.RecentErrors;
import org.apache.spark.shuffle.rdma.metrics.ShuffleReads;

/** Messages and locations for tests. */
final class Samples {

  private Samples() {}

  /** A random source whose seed is printed; -Drdma.test.seed=N repeats a run. */
  static Random random(String test) {
    long seed = Long.getLong("rdma.test.seed", System.nanoTime());
    System.out.println(test + ": seed " + seed);
    return new Random(seed);
  }

  /** As a real executor would publish it: addresses of 47 bits, keys of 32. */
  static OutputLocation location(int shuffleId, long mapId) {
    Random random = new Random(mapId);
    return new OutputLocation(
        shuffleId,
        mapId,
        2000,
        0x7f00_0000_0000L + random.nextLong(1L << 39),
        1 + random.nextLong(256 << 20),
        random.nextLong(1L << 32),
        0x7f00_0000_0000L + random.nextLong(1L << 39),
        random.nextLong(1L << 32));
  }

  /**
   * As an executor publishes its outputs one after another: each file mapped below the one before,
   * keys and index pages that count up.
   *
   * @param output which one of the executor's it is, from 0
   */
  static OutputLocation successive(int shuffleId, int output, long mapId) {
    return new OutputLocation(
        shuffleId,
        mapId,
        2000,
        0x7f00_0000_0000L - output * (10L << 20),
        10 << 20,
        (1000L + output) << 8,
        0x7e00_0000_0000L + output * 16384L,
        77);
  }

  static OutputLocation anyLocation(Random random, int shuffleId) {
    return new OutputLocation(
        shuffleId,
        random.nextLong(),
        1 + random.nextInt(IndexPage.MAX_PARTITIONS),
        random.nextLong(),
        1 + random.nextLong(Long.MAX_VALUE),
        random.nextLong(),
        random.nextLong(),
        random.nextLong());
  }

  static Message.Hello hello(String executorId) {
    return hello(executorId, 7);
  }

  static Message.Hello hello(String executorId, int start) {
    return new Message.Hello(
        executorId, "software", new byte[] {(byte) start, 1, 2, 3}, Codec.PROTOCOL_VERSION);
  }

  static Message anyMessage(Random random) {
    int shuffleId = random.nextInt(Integer.MAX_VALUE);
    return switch (random.nextInt(7)) {
      case 0 ->
          new Message.Hello(
              anyText(random, 64), anyText(random, 16), anyBytes(random, 512), random.nextInt(300));
      case 1 -> new Message.HelloReply(random.nextBoolean() ? null : anyText(random, 256));
      case 2 -> {
        List<OutputLocation> locations = new ArrayList<>();
        for (int i = random.nextInt(20); i > 0; i--) {
          locations.add(anyLocation(random, random.nextInt(Integer.MAX_VALUE)));
        }
        yield new Message.Publish(anyText(random, 64), locations);
      }
      case 3 ->
          new Message.Absent(anyText(random, 64), shuffleId, anyAbsence(random), anyLongs(random));
      case 4 -> new Message.Lookup(shuffleId, random.nextLong(Long.MAX_VALUE));
      case 5 -> anyReply(random, shuffleId);
      default ->
          new Message.Report(
              anyText(random, 64), random.longs(Counters.SLOTS).toArray(), anyStatus(random));
    };
  }

  static ExecutorStatus status() {
    return new ExecutorStatus("process 1", "127.0.0.1:1", false, 2, 3, List.of(), List.of());
  }

  static ExecutorStatus anyStatus(Random random) {
    List<FetchError> errors = new ArrayList<>();
    for (int i = random.nextInt(RecentErrors.MAX_ERRORS + 1); i > 0; i--) {
      FallbackReason[] reasons = FallbackReason.values();
      errors.add(
          new FetchError(
              anyText(random, 64),
              reasons[random.nextInt(reasons.length)],
              anyText(random, 200),
              anyAmount(random),
              anyAmount(random)));
    }
    List<ShuffleReads> shuffles = new ArrayList<>();
    for (int i = random.nextInt(20); i > 0; i--) {
      shuffles.add(
          new ShuffleReads(
              random.nextInt(Integer.MAX_VALUE),
              anyAmount(random),
              anyAmount(random),
              anyAmount(random),
              anyAmount(random)));
    }
    return new ExecutorStatus(
        anyText(random, 200),
        anyText(random, 200),
        random.nextBoolean(),
        anyAmount(random),
        anyAmount(random),
        errors,
        shuffles);
  }

  private static long anyAmount(Random random) {
    return random.nextLong(Long.MAX_VALUE) >> random.nextInt(63);
  }

  private static Message.LookupReply anyReply(Random random, int shuffleId) {
    List<LogRecord> records = new ArrayList<>();
    for (int i = random.nextInt(20); i > 0; i--) {
      Peer peer = new Peer("e" + random.nextInt(4), new byte[] {(byte) random.nextInt(2)});
      records.add(
          switch (random.nextInt(3)) {
            case 0 -> new LogRecord.Absent(peer, random.nextLong(), anyAbsence(random));
            case 1 -> new LogRecord.ExecutorLost(peer);
            default -> new LogRecord.Entry(peer, anyLocation(random, shuffleId));
          });
    }
    long from = random.nextInt(1000);
    long more = records.isEmpty() ? 0 : random.nextInt(3);
    return new Message.LookupReply(shuffleId, from, from + records.size() + more, records);
  }

  private static Absence anyAbsence(Random random) {
    return Absence.values()[random.nextInt(Absence.values().length)];
  }

  private static String anyText(Random random, int maxChars) {
    StringBuilder text = new StringBuilder();
    for (int i = random.nextInt(maxChars); i > 0; i--) {
      text.append(random.nextInt(10) == 0 ? 'é' : (char) ('a' + random.nextInt(26)));
    }
    return text.toString();
  }

  private static byte[] anyBytes(Random random, int max) {
    byte[] bytes = new byte[random.nextInt(max + 1)];
    random.nextBytes(bytes);
    return bytes;
  }

  private static long[] anyLongs(Random random) {
    return random.longs(random.nextInt(50)).toArray();
  }
}
