package org.apache.spark.shuffle.rdma.location;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.apache.spark.shuffle.rdma.memory.Absence;
import org.apache.spark.shuffle.rdma.memory.OutputLocation;
import org.junit.jupiter.api.Test;

class CodecTest {

  @Test
  void anyMessageComesBackAsItWas() throws Exception {
    Random random = Samples.random("anyMessageComesBackAsItWas");
    for (int i = 0; i < 5000; i++) {
      Message message = Samples.anyMessage(random);
      byte[] bytes = Codec.encode(message);
      Message back = Codec.decode(bytes);
      assertSame(message.getClass(), back.getClass());
      assertArrayEquals(bytes, Codec.encode(back));
    }
  }

  @Test
  void fieldsComeBackAsTheyWere() throws Exception {
    OutputLocation location =
        new OutputLocation(3, Long.MIN_VALUE, 1, -1, Long.MAX_VALUE, 0, Long.MIN_VALUE, 1L << 32);
    Peer peer = new Peer("7", new byte[] {1, -1});
    Message.LookupReply reply =
        new Message.LookupReply(
            3,
            5,
            9,
            List.of(
                new LogRecord.Entry(peer, location),
                new LogRecord.ExecutorLost(peer),
                new LogRecord.Absent(new Peer("8", new byte[0]), -4, Absence.OVER_BUDGET)));
    assertEquals(reply, Codec.decode(Codec.encode(reply)));
    Message.Publish publish = new Message.Publish("é", List.of(location));
    assertEquals(publish, Codec.decode(Codec.encode(publish)));
    Message.Lookup lookup = new Message.Lookup(Integer.MAX_VALUE, Long.MAX_VALUE);
    assertEquals(lookup, Codec.decode(Codec.encode(lookup)));
    assertEquals(
        new Message.HelloReply("no"), Codec.decode(Codec.encode(new Message.HelloReply("no"))));
  }

  @Test
  void aPeerIsNamedOnceInAReply() {
    Peer peer = new Peer("executor-with-a-name", new byte[512]);
    List<LogRecord> records =
        Collections.nCopies(1000, new LogRecord.Absent(peer, 1, Absence.RETIRED));
    byte[] bytes = Codec.encode(new Message.LookupReply(0, 0, 1000, records));
    assertTrue(bytes.length < 1000 * 4 + 600, bytes.length + " bytes");
  }

  @Test
  void theLargestOfEachMessageFits() {
    List<OutputLocation> locations =
        Collections.nCopies(
            Limits.MAX_LOCATIONS, new OutputLocation(1 << 30, -1, 1 << 24, -1, 1, -1, -1, -1));
    Codec.encode(new Message.Publish("x".repeat(Limits.MAX_EXECUTOR_ID_BYTES), locations));
    long[] mapIds = new long[Limits.MAX_MAP_IDS];
    java.util.Arrays.fill(mapIds, -1);
    Codec.encode(new Message.Absent("1", 1, Absence.RETIRED, mapIds));
  }

  @Test
  void whatIsBeyondALimitCantBeBuilt() {
    assertThrows(IllegalArgumentException.class, () -> new Peer("é".repeat(129), new byte[0]));
    assertThrows(IllegalArgumentException.class, () -> new Peer("1", new byte[513]));
    assertThrows(
        IllegalArgumentException.class,
        () -> new Message.Absent("1", 1, Absence.RETIRED, new long[Limits.MAX_MAP_IDS + 1]));
    assertThrows(IllegalArgumentException.class, () -> new Message.Lookup(-1, 0));
    assertThrows(
        IllegalArgumentException.class,
        () -> new Message.Report("1", new long[3], Samples.status()));
    assertThrows(IllegalArgumentException.class, () -> new Message.LookupReply(0, 0, 1, List.of()));
  }

  @Test
  void aReplyThatIsTooLongIsRefusedWhenEncoded() {
    Peer peer = new Peer("1", new byte[0]);
    List<LogRecord> records =
        Collections.nCopies(200_000, new LogRecord.Absent(peer, -1, Absence.RETIRED));
    Message reply = new Message.LookupReply(0, 0, records.size(), records);
    assertThrows(IllegalArgumentException.class, () -> Codec.encode(reply));
  }
}
