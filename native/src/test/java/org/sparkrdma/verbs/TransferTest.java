package org.sparkrdma.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.sparkrdma.verbs.Access.LOCAL_WRITE;
import static org.sparkrdma.verbs.Access.REMOTE_READ;
import static org.sparkrdma.verbs.Access.REMOTE_WRITE;
import static org.sparkrdma.verbs.CompletionStatus.SUCCESS;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.sparkrdma.verbs.End.Completed;

/** Each kind of work request, alone and in lists. */
@VerbsTest
final class TransferTest {
  private static final int SIZE = 64 * 1024;

  private Pair pair;
  private End client;
  private End server;
  private final WorkRequestList list = new WorkRequestList(80, 160);
  private final ReceiveList receives = new ReceiveList(8, 16);

  @BeforeEach
  void connect() {
    pair = Pair.connect(Set.of(REMOTE_READ, REMOTE_WRITE));
    client = pair.clientEnd;
    server = pair.serverEnd;
  }

  @AfterEach
  void close() {
    pair.close();
    list.close();
    receives.close();
  }

  @Test
  void readBringsThePeersBytes() {
    MemoryRegion source = server.filled(SIZE, 7, Set.of(REMOTE_READ));
    MemoryRegion target = client.region(SIZE, client.sink());
    list.addRead(42, SendFlag.SIGNALED, target, 0, SIZE, source.address(), source.remoteKey());
    pair.client.queuePair().post(list);
    Completed done = client.await(1).getFirst();
    assertEquals(42, done.id());
    assertEquals(SUCCESS, done.status());
    assertFalse(done.receive());
    assertEquals(-1, source.memory().mismatch(target.memory()));
  }

  @Test
  void writeChangesThePeersBytes() {
    MemoryRegion source = client.filled(SIZE, 9, Set.of());
    MemoryRegion target = server.region(SIZE, Set.of(LOCAL_WRITE, REMOTE_WRITE));
    list.addWrite(1, SendFlag.SIGNALED, source, 0, SIZE, target.address(), target.remoteKey());
    pair.client.queuePair().post(list);
    assertEquals(SUCCESS, client.await(1).getFirst().status());
    assertEquals(-1, source.memory().mismatch(target.memory()));
  }

  @Test
  void sendArrivesInTheNextReceive() {
    MemoryRegion source = client.filled(1000, 3, Set.of());
    MemoryRegion target = server.region(1024, Set.of(LOCAL_WRITE));
    receives.add(5, target, 0, 1024);
    pair.server.queuePair().post(receives);
    list.addSend(6, SendFlag.SIGNALED, source, 0, 1000);
    pair.client.queuePair().post(list);
    assertEquals(
        new Completed(6, SUCCESS, false, 0, false, 0).id(), client.await(1).getFirst().id());
    Completed received = server.await(1).getFirst();
    assertEquals(5, received.id());
    assertTrue(received.receive());
    assertEquals(1000, received.bytes());
    assertEquals(-1, source.memory().mismatch(target.memory().asSlice(0, 1000)));
  }

  @Test
  void immediateDataArriveWhereTheTransportHasThem() {
    MemoryRegion source = client.filled(100, 3, Set.of());
    MemoryRegion target = server.region(100, Set.of(LOCAL_WRITE, REMOTE_WRITE));
    receives.add(1, target, 0, 100);
    receives.add(2, target, 0, 100);
    pair.server.queuePair().post(receives);
    list.addSendWithImmediate(3, SendFlag.SIGNALED, source, 0, 100, 0x12345678);
    list.addWriteWithImmediate(
        4, SendFlag.SIGNALED, source, 0, 100, target.address(), target.remoteKey(), -2);
    if (TestNetwork.isIwarp()) {
      assertThrows(PostException.class, () -> pair.client.queuePair().post(list));
      return;
    }
    pair.client.queuePair().post(list);
    client.await(2);
    List<Completed> received = server.await(2);
    assertTrue(received.getFirst().hasImmediate());
    assertEquals(0x12345678, received.getFirst().immediate());
    assertEquals(-2, received.getLast().immediate());
  }

  @Test
  void readScattersAndWriteGathers() {
    MemoryRegion source = server.filled(SIZE, 1, Set.of(REMOTE_READ));
    MemoryRegion target = client.region(SIZE, client.sink());
    int buffers = Math.min(3, client.device.attributes().maxReadScatterGather());
    list.addRead(1, SendFlag.SIGNALED, target, 40_000, 100, source.address(), source.remoteKey());
    for (int i = 1; i < buffers; i++) {
      list.addBuffer(target, 1000L * i, 200);
    }
    pair.client.queuePair().post(list);
    assertEquals(SUCCESS, client.await(1).getFirst().status());
    assertSlices(source.memory(), 0, target.memory(), 40_000, 100);
    for (int i = 1; i < buffers; i++) {
      assertSlices(source.memory(), 200L * i - 100, target.memory(), 1000L * i, 200);
    }

    MemoryRegion from = client.filled(SIZE, 50, Set.of());
    MemoryRegion to = server.region(SIZE, Set.of(LOCAL_WRITE, REMOTE_WRITE));
    list.clear();
    list.addWrite(2, SendFlag.SIGNALED, from, 500, 10, to.address() + 8, to.remoteKey());
    list.addBuffer(from, 0, 20);
    pair.client.queuePair().post(list);
    assertEquals(SUCCESS, client.await(1).getFirst().status());
    assertSlices(from.memory(), 500, to.memory(), 8, 10);
    assertSlices(from.memory(), 0, to.memory(), 18, 20);
  }

  private static void assertSlices(
      MemorySegment a, long offsetA, MemorySegment b, long offsetB, long length) {
    assertEquals(-1, a.asSlice(offsetA, length).mismatch(b.asSlice(offsetB, length)));
  }

  @Test
  void listOfReadsCompletesOnceAtItsEnd() {
    MemoryRegion source = server.filled(SIZE, 77, Set.of(REMOTE_READ));
    MemoryRegion target = client.region(SIZE, client.sink());
    int reads = 32;
    long part = SIZE / reads;
    for (int round = 0; round < 20; round++) {
      target.memory().fill((byte) 0);
      list.clear();
      for (int i = 0; i < reads; i++) {
        int flags = i == reads - 1 ? SendFlag.SIGNALED : SendFlag.NONE;
        list.addRead(
            100 + i,
            flags,
            target,
            i * part,
            part,
            source.address() + i * part,
            source.remoteKey());
      }
      pair.client.queuePair().post(list);
      Completed done = client.await(1).getFirst();
      assertEquals(100 + reads - 1, done.id());
      assertEquals(SUCCESS, done.status());
      assertEquals(-1, source.memory().mismatch(target.memory()));
    }
    assertEquals(List.of(), client.poll());
  }

  @Test
  void listLongerThanTheQueueIsPostedInPart() {
    int large = 1 << 20;
    MemoryRegion source = server.filled(large, 1, Set.of(REMOTE_READ));
    MemoryRegion target = client.region(large, client.sink());
    for (int i = 0; i < list.capacity(); i++) {
      list.addRead(i, SendFlag.NONE, target, 0, large, source.address(), source.remoteKey());
    }
    QueuePair queuePair = pair.client.queuePair();
    int posted = 0;
    int refused = 0;
    // The device may have given more room than was asked for.
    for (int round = 0; round < 20 && refused == 0; round++) {
      try {
        queuePair.post(list);
        posted += list.count();
      } catch (PostException e) {
        posted += e.posted();
        refused++;
        assertTrue(e.posted() < list.count(), e.getMessage());
        assertEquals("ibv_post_send", e.verb());
      }
    }
    assertEquals(1, refused);
    assertTrue(posted >= End.DEPTH, posted + " posted");
    queuePair.moveToError();
  }

  @Test
  void inlineSendNeedsItsBufferOnlyForThePost() {
    End end = client;
    MemoryRegion source = end.filled(32, 3, Set.of());
    MemoryRegion target = server.region(64, Set.of(LOCAL_WRITE));
    receives.add(1, target, 0, 64);
    pair.server.queuePair().post(receives);
    list.addSend(2, SendFlag.SIGNALED | SendFlag.INLINE, source, 0, 32);
    try {
      pair.client.queuePair().post(list);
    } catch (PostException e) {
      // A device that gives no inline room unless asked refuses.
      assertEquals(0, e.posted());
      return;
    }
    source.memory().fill((byte) 0);
    assertEquals(32, server.await(1).getFirst().bytes());
    assertEquals(34, target.memory().get(java.lang.foreign.ValueLayout.JAVA_BYTE, 31));
  }

  @Test
  void channelWakesAThreadThatSleeps() {
    MemoryRegion source = server.filled(4096, 1, Set.of(REMOTE_READ));
    MemoryRegion target = client.region(4096, client.sink());
    assertNull(client.channel.await(0));
    client.completions.requestNotification();
    list.addRead(1, SendFlag.SIGNALED, target, 0, 4096, source.address(), source.remoteKey());
    pair.client.queuePair().post(list);
    assertSame(client.completions, client.channel.await(TestNetwork.TIMEOUT_MILLIS));
    assertEquals(1, client.poll().size());
    client.channel.wake();
    assertNull(client.channel.await(TestNetwork.TIMEOUT_MILLIS));
  }

  @Test
  void mistakesInAListAreRefusedBeforePosting() {
    MemoryRegion target = client.region(100, client.sink());
    assertThrows(IndexOutOfBoundsException.class, () -> list.addRead(1, 0, target, 90, 11, 0, 0));
    assertThrows(IndexOutOfBoundsException.class, () -> list.addRead(1, 0, target, -1, 5, 0, 0));
    assertEquals(0, list.count());
    assertThrows(IllegalStateException.class, () -> list.addBuffer(target, 0, 1));
    pair.client.queuePair().post(list);
    assertEquals(List.of(), client.poll());
  }
}
