package org.sparkrdma.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.sparkrdma.verbs.Access.LOCAL_WRITE;
import static org.sparkrdma.verbs.Access.REMOTE_READ;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.sparkrdma.verbs.End.Completed;

/** Broken queue pairs give back all that was posted. */
@VerbsTest
final class DrainTest {
  private static final int MEGABYTE = 1 << 20;

  @Test
  void movingToErrorFlushesReadsUnderWay() {
    try (Pair pair = Pair.connect();
        WorkRequestList list = new WorkRequestList(32)) {
      MemoryRegion source = pair.serverEnd.filled(MEGABYTE, 1, Set.of(REMOTE_READ));
      MemoryRegion sink = pair.clientEnd.region(MEGABYTE, pair.clientEnd.sink());
      for (int i = 0; i < 32; i++) {
        list.addRead(i, SendFlag.SIGNALED, sink, 0, MEGABYTE, source.address(), source.remoteKey());
      }
      pair.client.queuePair().post(list);
      pair.client.queuePair().moveToError();
      List<Completed> done = pair.clientEnd.await(32);
      for (int i = 0; i < 32; i++) {
        assertEquals(i, done.get(i).id());
      }
      // As many as were done before then are good; none behind a flushed one is.
      List<CompletionStatus> statuses = done.stream().map(Completed::status).distinct().toList();
      assertTrue(
          List.of(CompletionStatus.SUCCESS, CompletionStatus.FLUSHED).containsAll(statuses)
              && statuses.indexOf(CompletionStatus.SUCCESS) <= 0,
          statuses.toString());
      assertEquals(List.of(), pair.clientEnd.poll());
    }
  }

  @Test
  void silentRequestsThatAreFlushedComplete() {
    try (Pair pair = Pair.connect();
        WorkRequestList list = new WorkRequestList(8)) {
      MemoryRegion source = pair.serverEnd.filled(MEGABYTE, 1, Set.of(REMOTE_READ));
      MemoryRegion sink = pair.clientEnd.region(MEGABYTE, pair.clientEnd.sink());
      for (int i = 0; i < 8; i++) {
        int flags = i == 7 ? SendFlag.SIGNALED : SendFlag.NONE;
        // The first one is refused.
        int key = source.remoteKey() ^ (i == 0 ? 0x3300 : 0);
        list.addRead(i, flags, sink, 0, MEGABYTE, source.address(), key);
      }
      pair.client.queuePair().post(list);
      List<Completed> done = pair.clientEnd.await(8);
      assertEquals(7, done.getLast().id());
    }
  }

  @Test
  void receivesAreFlushedWhenThePeerDisconnects() {
    try (Pair pair = Pair.connect();
        ReceiveList receives = new ReceiveList(4)) {
      MemoryRegion target = pair.clientEnd.region(4096, Set.of(LOCAL_WRITE));
      for (int i = 0; i < 4; i++) {
        receives.add(i, target, i * 64L, 64);
      }
      pair.client.queuePair().post(receives);
      pair.server.disconnect();
      pair.client.awaitDisconnected(TestNetwork.TIMEOUT_MILLIS);
      assertTrue(pair.client.isDisconnected());
      pair.client.disconnect();
      for (Completed flushed : pair.clientEnd.await(4)) {
        assertEquals(CompletionStatus.FLUSHED, flushed.status());
        assertInstanceOf(
            WorkRequestException.Flushed.class,
            WorkRequestException.of(flushed.id(), flushed.status(), 0, 0));
      }
    }
  }

  @Test
  void sendWithoutAReceiveEndsAfterItsRetries() {
    try (Pair pair = Pair.connect();
        WorkRequestList list = new WorkRequestList(1)) {
      MemoryRegion source = pair.clientEnd.filled(64, 1, Set.of());
      list.addSend(1, SendFlag.SIGNALED, source, 0, 64);
      pair.client.queuePair().post(list);
      CompletionStatus status = pair.clientEnd.await(1).getFirst().status();
      if (TestNetwork.isIwarp()) {
        // TCP takes it; the peer then terminates the connection.
        assertTrue(Set.of(CompletionStatus.SUCCESS, CompletionStatus.FLUSHED).contains(status));
      } else {
        assertEquals(CompletionStatus.RECEIVER_NOT_READY, status);
      }
    }
  }
}
