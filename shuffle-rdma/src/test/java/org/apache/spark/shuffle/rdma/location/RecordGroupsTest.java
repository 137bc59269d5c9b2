package org.apache.spark.shuffle.rdma.location;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.spark.shuffle.rdma.memory.Absence;
import org.apache.spark.shuffle.rdma.memory.OutputLocation;
import org.junit.jupiter.api.Test;

class RecordGroupsTest {

  private static final int SHUFFLE = 1;

  private static List<LogRecord> decoded(RecordGroups groups) throws Exception {
    byte[] bytes = Codec.encodeReply(SHUFFLE, 0, groups.count(), groups);
    assertTrue(bytes.length <= LookupReplySerializer.MAX_HEADER_BYTES + groups.bytes());
    return ((Message.LookupReply) Codec.decode(bytes)).records();
  }

  private static LogRecord any(Random random, Peer peer) {
    return switch (random.nextInt(8)) {
      case 0 -> new LogRecord.ExecutorLost(peer);
      case 1 -> new LogRecord.Absent(peer, random.nextLong(), Absence.RETIRED);
      case 2 -> new LogRecord.Entry(peer, Samples.anyLocation(random, SHUFFLE));
      default -> {
        // Alike, but for what only an unlucky executor has.
        long key = random.nextInt(9) == 0 ? random.nextLong() : random.nextInt(1000);
        long address = random.nextInt(9) == 0 ? random.nextLong() : random.nextLong(1L << 47);
        yield new LogRecord.Entry(
            peer,
            new OutputLocation(
                SHUFFLE, random.nextInt(2000), 7, address, 1 + random.nextInt(9999), key, 64, 5));
      }
    };
  }

  @Test
  void anOutputLikeTheOneBeforeTakesTenBytesAtMost() {
    RecordGroups groups = new RecordGroups();
    Peer peer = new Peer("1", new byte[28]);
    groups.add(new LogRecord.Entry(peer, Samples.successive(SHUFFLE, 0, 5)));
    groups.add(new LogRecord.Entry(peer, Samples.successive(SHUFFLE, 1, 905)));
    int two = groups.bytes();
    for (int i = 2; i < 102; i++) {
      groups.add(new LogRecord.Entry(peer, Samples.successive(SHUFFLE, i, 5 + 900 * i)));
    }
    assertTrue(groups.bytes() - two <= 100 * 10, groups.bytes() - two + " bytes for 100 outputs");
  }

  @Test
  void whateverWasAddedComesBackByPeerInTheOrderOfAdding() throws Exception {
    Random random = Samples.random("whateverWasAddedComesBackByPeerInTheOrderOfAdding");
    for (int round = 0; round < 300; round++) {
      RecordGroups groups = new RecordGroups();
      List<LogRecord> added = new ArrayList<>();
      for (int i = random.nextInt(100); i > 0; i--) {
        added.add(any(random, new Peer("e" + random.nextInt(5), new byte[1])));
        groups.add(added.getLast());
      }
      assertEquals(byPeer(added), decoded(groups));
      int from = random.nextInt(added.size() + 1);
      List<LogRecord> rest = added.subList(from, added.size());
      assertEquals(byPeer(rest), decoded(groups.since(from, SHUFFLE)));
    }
  }

  /** Peers in the order of their first records. */
  private static List<LogRecord> byPeer(List<LogRecord> records) {
    List<LogRecord> grouped = new ArrayList<>();
    records.stream()
        .map(LogRecord::peer)
        .distinct()
        .forEach(
            peer ->
                records.stream()
                    .filter(record -> record.peer().equals(peer))
                    .forEach(grouped::add));
    return grouped;
  }

  @Test
  void thePeerOfTwoGroupsIsRefused() {
    RecordGroups groups = new RecordGroups();
    groups.add(new LogRecord.ExecutorLost(new Peer("1", new byte[0])));
    groups.add(new LogRecord.ExecutorLost(new Peer("2", new byte[0])));
    byte[] bytes = Codec.encodeReply(SHUFFLE, 0, 2, groups);
    for (int i = 0; i < bytes.length; i++) {
      if (bytes[i] == '2') {
        bytes[i] = '1';
      }
    }
    assertThrows(MalformedMessageException.class, () -> Codec.decode(bytes));
  }
}
