package org.apache.spark.shuffle.rdma.location;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.spark.shuffle.rdma.memory.Absence;
import org.apache.spark.shuffle.rdma.metrics.Counter;
import org.apache.spark.shuffle.rdma.metrics.CounterSnapshot;
import org.apache.spark.shuffle.rdma.metrics.Counters;
import org.junit.jupiter.api.Test;

class DirectoryTest {

  private final Directory directory = new Directory();

  private Message.LookupReply reply(int shuffleId, long have) throws Exception {
    byte[] bytes = directory.lookup(shuffleId, have);
    assertTrue(bytes.length <= Limits.MAX_LOOKUP_REPLY_BYTES, bytes.length + " bytes");
    return (Message.LookupReply) Codec.decode(bytes);
  }

  private List<LogRecord> all(int shuffleId, long have) throws Exception {
    List<LogRecord> records = new ArrayList<>();
    Message.LookupReply reply;
    do {
      reply = reply(shuffleId, have);
      assertEquals(have, reply.fromVersion());
      records.addAll(reply.records());
      have = reply.endVersion();
    } while (have < reply.totalVersion());
    return records;
  }

  private void publish(String executorId, int shuffleId, long mapId) {
    assertEquals(1, directory.publish(executorId, List.of(Samples.location(shuffleId, mapId))));
  }

  private void start(String executorId) {
    assertTrue(directory.hello(Samples.hello(executorId)).accepted());
  }

  @Test
  void aLookupGetsWhatTheAskerLacks() throws Exception {
    directory.registerShuffle(1);
    start("a");
    publish("a", 1, 10);
    publish("a", 1, 11);
    assertEquals(2, all(1, 0).size());
    publish("a", 1, 12);
    List<LogRecord> delta = all(1, 2);
    assertEquals(
        List.of(
            new LogRecord.Entry(
                new Peer("a", Samples.hello("a").fabricAddress()), Samples.location(1, 12))),
        delta);
    assertEquals(List.of(), all(1, 3));
  }

  @Test
  void whoHasMoreThanTheTableStartsAfresh() throws Exception {
    directory.registerShuffle(1);
    start("a");
    publish("a", 1, 10);
    Message.LookupReply reply = reply(1, 5);
    assertEquals(0, reply.fromVersion());
    assertEquals(1, reply.totalVersion());
    directory.unregisterShuffle(1);
    assertEquals(0, reply(1, 1).totalVersion());
  }

  @Test
  void unregisteredShufflesAndUnknownExecutorsAreRefusedAndCounted() throws Exception {
    start("a");
    assertEquals(0, directory.publish("a", List.of(Samples.location(1, 10))));
    directory.registerShuffle(1);
    assertEquals(0, directory.publish("b", List.of(Samples.location(1, 10))));
    directory.executorLost("a");
    assertEquals(0, directory.publish("a", List.of(Samples.location(1, 10))));
    assertEquals(3, directory.refused());
    assertEquals(List.of(), all(1, 0));
  }

  @Test
  void anotherProtocolVersionIsRefused() {
    Message.HelloReply reply = directory.hello(new Message.Hello("a", "software", new byte[1], 77));
    assertFalse(reply.accepted());
    assertTrue(String.valueOf(reply.refusal()).contains("77"));
    assertNull(directory.fabricAddress("a"));
  }

  @Test
  void retiredOutputsGetATombstoneOnce() throws Exception {
    directory.registerShuffle(1);
    start("a");
    publish("a", 1, 10);
    directory.absent("a", 1, Absence.RETIRED, 10, 10, 11);
    directory.absent("b", 1, Absence.RETIRED, 10);
    List<LogRecord> records = all(1, 1);
    assertEquals(1, records.size());
    assertEquals(10, ((LogRecord.Absent) records.get(0)).mapId());
  }

  @Test
  void aLostExecutorIsTakenOutOfTheTablesThatHaveItsOutputs() throws Exception {
    directory.registerShuffle(1);
    directory.registerShuffle(2);
    start("a");
    start("b");
    publish("a", 1, 10);
    publish("b", 1, 11);
    publish("b", 2, 12);
    directory.executorLost("a");
    directory.executorLost("a");
    assertEquals("a", ((LogRecord.ExecutorLost) all(1, 2).get(0)).peer().executorId());
    assertEquals(3, all(1, 0).size());
    assertEquals(1, all(2, 0).size());
  }

  @Test
  void anExecutorThatStartsAgainLosesWhatItHad() throws Exception {
    directory.registerShuffle(1);
    start("a");
    publish("a", 1, 10);
    start("a");
    assertEquals(1, all(1, 0).size(), "the same hello again changes nothing");
    assertTrue(directory.hello(Samples.hello("a", 8)).accepted());
    publish("a", 1, 11);
    List<LogRecord> records = all(1, 1);
    assertTrue(records.get(0) instanceof LogRecord.ExecutorLost);
    assertEquals(8, records.get(1).peer().fabricAddress()[0]);
    assertArrayEquals(new byte[] {8, 1, 2, 3}, directory.fabricAddress("a"));
  }

  @Test
  void aHundredThousandEntriesTakeTensOfBytesEachAndAreEncodedOnce() throws Exception {
    directory.registerShuffle(1);
    int executors = 1000;
    int entries = 100_000;
    for (int e = 0; e < executors; e++) {
      assertTrue(
          directory
              .hello(new Message.Hello("" + e, "verbs", address(e), Codec.PROTOCOL_VERSION))
              .accepted());
    }
    for (int i = 0; i < entries; i++) {
      publish("" + i % executors, 1, i);
    }
    LocationLogProbe first = new LocationLogProbe(directory, 1);
    assertEquals(entries, first.records);
    assertTrue(first.replies.size() > 5, first.replies.size() + " chunks");
    double bytesPerEntry = (double) first.bytes / entries;
    System.out.println(
        "bytes per entry: " + bytesPerEntry + " in " + first.replies.size() + " chunks");
    assertTrue(bytesPerEntry < 48, bytesPerEntry + " bytes per entry");
    LocationLogProbe second = new LocationLogProbe(directory, 1);
    for (int i = 0; i < first.replies.size(); i++) {
      assertSame(first.replies.get(i), second.replies.get(i));
    }
    publish("0", 1, entries);
    LocationLogProbe third = new LocationLogProbe(directory, 1);
    assertEquals(entries + 1, third.records);
    assertSame(first.replies.get(0), third.replies.get(0), "sealed chunks stay as they are");
    byte[] delta = directory.lookup(1, entries);
    assertSame(delta, directory.lookup(1, entries));
    assertTrue(delta.length < 160, delta.length + " bytes");
  }

  @Test
  void anEntryTakesTensOfBytesOfTheDriversHeapAndTenOnTheWire() throws Exception {
    directory.registerShuffle(1);
    int executors = 1000;
    int entries = 100_000;
    for (int e = 0; e < executors; e++) {
      start("" + e);
    }
    long before = heapBytes();
    for (int i = 0; i < entries; i++) {
      directory.publish("" + i % executors, List.of(Samples.successive(1, i / executors, i)));
    }
    LocationLogProbe probe = new LocationLogProbe(directory, 1);
    assertEquals(entries, probe.records);
    assertTrue(probe.bytes <= 10L * entries, probe.bytes + " bytes in replies");
    probe.replies.clear();
    double bytes = (double) (heapBytes() - before) / entries;
    assertTrue(bytes < 100, bytes + " bytes an entry");
    assertEquals(0, directory.refused());
  }

  private static long heapBytes() {
    System.gc();
    System.gc();
    return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
  }

  /** As long as verbs' address may well be. */
  private static byte[] address(int executor) {
    byte[] address = new byte[64];
    address[0] = (byte) executor;
    address[1] = (byte) (executor >> 8);
    return address;
  }

  /** Reads all of a table, as an executor does. */
  private static final class LocationLogProbe {
    final List<byte[]> replies = new ArrayList<>();
    long records;
    long bytes;

    LocationLogProbe(Directory directory, int shuffleId) throws Exception {
      Message.LookupReply reply;
      do {
        byte[] encoded = directory.lookup(shuffleId, records);
        assertTrue(encoded.length <= Limits.MAX_LOOKUP_REPLY_BYTES);
        replies.add(encoded);
        bytes += encoded.length;
        reply = (Message.LookupReply) Codec.decode(encoded);
        records = reply.endVersion();
      } while (records < reply.totalVersion());
    }
  }

  @Test
  void fromEveryVersionAndAtEveryLengthTheRestIsTheSame() throws Exception {
    directory.registerShuffle(1);
    List<Message.Hello> hellos = new ArrayList<>();
    for (int e = 0; e < 3000; e++) {
      // Long addresses fill chunks with few records.
      byte[] address = new byte[500];
      address[0] = (byte) e;
      hellos.add(new Message.Hello("" + e, "verbs", address, Codec.PROTOCOL_VERSION));
      assertTrue(directory.hello(hellos.get(e)).accepted());
      publish("" + e, 1, e);
      if (e % 97 == 0) {
        // Asked at every length, so that replies cached as the last ones meet a sealed chunk.
        assertEquals(e + 1, all(1, 0).size());
        assertEquals(1, all(1, e).size());
      }
    }
    List<LogRecord> whole = all(1, 0);
    assertEquals(3000, whole.size());
    for (int from = 0; from <= 3000; from += 41) {
      assertEquals(whole.subList(from, 3000), all(1, from));
    }
  }

  @Test
  void aReplyCachedAsTheLastIsNotGivenOnceItsChunkIsSealed() throws Exception {
    directory.registerShuffle(1);
    int asked = 0;
    for (int e = 0; asked < 3; e++) {
      assertTrue(
          directory
              .hello(new Message.Hello("" + e, "v", new byte[500], Codec.PROTOCOL_VERSION))
              .accepted());
      publish("" + e, 1, e);
      if (e < 900) {
        continue;
      }
      // Every version is asked for from 0 and from 1 in its turn, before and after a chunk ends.
      asked += all(1, 0).size() == e + 1 && reply(1, 0).records().size() < e + 1 ? 1 : 0;
      assertEquals(e, all(1, 1).size());
    }
  }

  @Test
  void countersAreSummedOverExecutorsThatWereLostToo() {
    for (int i = 0; i < Directory.MAX_LOST_EXECUTORS + 10; i++) {
      String id = "x" + i;
      start(id);
      directory.report(id, counted(1), Samples.status());
      directory.report(id, counted(2), Samples.status());
      directory.executorLost(id);
    }
    start("live");
    directory.report("live", counted(5), Samples.status());
    directory.report("nobody", counted(1000), Samples.status());
    assertEquals(
        2L * (Directory.MAX_LOST_EXECUTORS + 10) + 5,
        directory.counters().get(Counter.READ_BLOCKS));
    assertEquals(Directory.MAX_LOST_EXECUTORS + 2, directory.countersByExecutor().size());
    CounterSnapshot earlier = directory.countersByExecutor().get(Directory.EARLIER_EXECUTORS);
    assertNotNull(earlier);
    assertEquals(20, earlier.get(Counter.READ_BLOCKS));
  }

  private static CounterSnapshot counted(long blocks) {
    Counters counters = new Counters();
    counters.add(Counter.READ_BLOCKS, blocks);
    return counters.snapshot();
  }

  @Test
  void aLookupAfterAPublicationSeesItWhateverOthersDo() throws Exception {
    directory.registerShuffle(1);
    int threads = 4;
    int each = 3000;
    try (ExecutorService pool = Executors.newFixedThreadPool(threads)) {
      List<Future<?>> running = new ArrayList<>();
      for (int t = 0; t < threads; t++) {
        String executorId = "e" + t;
        long firstMapId = (long) t * each;
        start(executorId);
        running.add(
            pool.submit(
                () -> {
                  Set<Long> seen = new HashSet<>();
                  long have = 0;
                  for (long mapId = firstMapId; mapId < firstMapId + each; mapId++) {
                    publish(executorId, 1, mapId);
                    for (LogRecord record : all(1, have)) {
                      assertTrue(seen.add(((LogRecord.Entry) record).location().mapId()));
                    }
                    have = seen.size();
                    assertTrue(seen.contains(mapId));
                  }
                  return null;
                }));
      }
      for (Future<?> one : running) {
        one.get();
      }
    }
    assertEquals(threads * each, all(1, 0).size());
  }
}
