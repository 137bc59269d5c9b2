package org.sparkrdma.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.sparkrdma.verbs.Access.LOCAL_WRITE;
import static org.sparkrdma.verbs.Access.REMOTE_READ;
import static org.sparkrdma.verbs.Access.REMOTE_WRITE;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.sparkrdma.verbs.End.Completed;

/**
 * What the peer's device refuses. InfiniBand and RoCE say so; on iWARP the connection is
 * terminated, and all that shows is a flush. Either way the queue pair is broken, the rest is
 * flushed, and a new connection works.
 */
@VerbsTest
final class RefusalTest {
  private static final int SIZE = 8192;

  private Pair pair;
  private End client;
  private End server;
  private final WorkRequestList list = new WorkRequestList(8);

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
  }

  @Test
  void wrongKey() {
    MemoryRegion source = server.filled(SIZE, 1, Set.of(REMOTE_READ));
    refusedRead(source.address(), source.remoteKey() ^ 0x5a5a00, SIZE);
  }

  @Test
  void readPastTheEnd() {
    MemoryRegion source = server.filled(SIZE, 1, Set.of(REMOTE_READ));
    refusedRead(source.address() + SIZE - 100, source.remoteKey(), 101);
  }

  @Test
  void readBeforeTheStart() {
    MemoryRegion source = server.filled(SIZE, 1, Set.of(REMOTE_READ));
    refusedRead(source.address() - 1, source.remoteKey(), 10);
  }

  @Test
  void readOfARegionWithoutRemoteRead() {
    MemoryRegion source = server.filled(SIZE, 1, Set.of(LOCAL_WRITE));
    if (TestNetwork.isIwarp()) {
      // siw answers reads without looking at REMOTE_READ: only leaving the region's key secret
      // helps there.
      readOfSiwWithoutRemoteRead(source);
    } else {
      refusedRead(source.address(), source.remoteKey(), SIZE);
    }
  }

  private void readOfSiwWithoutRemoteRead(MemoryRegion source) {
    MemoryRegion sink = client.region(SIZE, client.sink());
    list.addRead(1, SendFlag.SIGNALED, sink, 0, SIZE, source.address(), source.remoteKey());
    pair.client.queuePair().post(list);
    CompletionStatus status = client.await(1).getFirst().status();
    assertTrue(
        Set.of(CompletionStatus.SUCCESS, CompletionStatus.FLUSHED).contains(status),
        status.toString());
  }

  @Test
  void readOfADeregisteredRegion() {
    MemoryRegion source = server.filled(SIZE, 1, Set.of(REMOTE_READ));
    source.close();
    refusedRead(source.address(), source.remoteKey(), SIZE);
  }

  @Test
  void readOfARegionOfAnotherDomain() {
    try (ProtectionDomain other = server.device.allocateProtectionDomain()) {
      MemoryRegion ours = server.filled(SIZE, 1, Set.of(REMOTE_READ));
      MemoryRegion source = other.register(ours.memory(), Set.of(REMOTE_READ));
      refusedRead(source.address(), source.remoteKey(), SIZE);
    }
  }

  @Test
  void writeToAReadOnlyRegion() {
    MemoryRegion target = server.filled(SIZE, 1, Set.of(REMOTE_READ));
    MemoryRegion source = client.filled(SIZE, 2, Set.of());
    list.addWrite(1, SendFlag.SIGNALED, source, 0, SIZE, target.address(), target.remoteKey());
    // iWARP acknowledges a write when it is sent, so a read behind it learns of the refusal.
    MemoryRegion sink = client.region(SIZE, client.sink());
    list.addRead(2, SendFlag.SIGNALED, sink, 0, SIZE, target.address(), target.remoteKey());
    pair.client.queuePair().post(list);
    List<Completed> done = client.await(2);
    Completed failed =
        done.stream().filter(c -> c.status() != CompletionStatus.SUCCESS).findFirst().orElseThrow();
    assertRefusal(failed.status());
    assertEquals(1, target.memory().get(java.lang.foreign.ValueLayout.JAVA_BYTE, 0));
  }

  @Test
  void readThroughAQueuePairThatAllowsNone() {
    try (Pair closed = Pair.connect(Set.of())) {
      MemoryRegion source = closed.serverEnd.filled(SIZE, 1, Set.of(REMOTE_READ));
      MemoryRegion sink = closed.clientEnd.region(SIZE, closed.clientEnd.sink());
      list.addRead(1, SendFlag.SIGNALED, sink, 0, SIZE, source.address(), source.remoteKey());
      closed.client.queuePair().post(list);
      CompletionStatus status = closed.clientEnd.await(1).getFirst().status();
      if (TestNetwork.isIwarp()) {
        // siw looks at the region's rights alone.
        assertTrue(Set.of(CompletionStatus.SUCCESS, CompletionStatus.FLUSHED).contains(status));
      } else {
        assertTrue(
            Set.of(CompletionStatus.REMOTE_INVALID_REQUEST, CompletionStatus.REMOTE_ACCESS_ERROR)
                .contains(status),
            status.toString());
      }
    }
  }

  @Test
  void localBufferWithoutLocalWrite() {
    MemoryRegion source = server.filled(SIZE, 1, Set.of(REMOTE_READ));
    MemoryRegion sink = client.region(SIZE, Set.of(REMOTE_READ));
    list.addRead(9, SendFlag.SIGNALED, sink, 0, SIZE, source.address(), source.remoteKey());
    try {
      pair.client.queuePair().post(list);
    } catch (PostException e) {
      assertEquals(0, e.posted());
      return;
    }
    CompletionStatus status = client.await(1).getFirst().status();
    assertTrue(
        Set.of(
                CompletionStatus.LOCAL_PROTECTION_ERROR,
                CompletionStatus.LOCAL_QUEUE_PAIR_ERROR,
                CompletionStatus.FLUSHED,
                CompletionStatus.GENERAL_ERROR)
            .contains(status),
        status.toString());
  }

  /**
   * Posts a refused read in front of three good ones: one error, three flushes, then a new pair
   * works.
   */
  private void refusedRead(long address, int key, int length) {
    MemoryRegion good = server.filled(SIZE, 5, Set.of(REMOTE_READ));
    MemoryRegion sink = client.region(SIZE, client.sink());
    list.addRead(10, SendFlag.SIGNALED, sink, 0, length, address, key);
    for (int i = 1; i <= 3; i++) {
      list.addRead(10 + i, SendFlag.SIGNALED, sink, 0, 64, good.address(), good.remoteKey());
    }
    pair.client.queuePair().post(list);
    List<Completed> done = client.await(4);
    assertRefusal(done.getFirst().status());
    // siw may tell of one flushed request twice, so its completions are no good for counting.
    List<Long> ids = done.stream().map(Completed::id).distinct().toList();
    assertEquals(List.of(10L, 11L, 12L, 13L).subList(0, ids.size()), ids);
    if (!TestNetwork.isIwarp()) {
      assertEquals(4, ids.size());
      for (Completed flushed : done.subList(1, 4)) {
        assertEquals(CompletionStatus.FLUSHED, flushed.status());
      }
    }
    assertEquals(QueuePairState.ERROR, pair.client.queuePair().state());
    if (!TestNetwork.isIwarp()) {
      assertNothingMore();
    }
    readAgain();
  }

  private static void assertRefusal(CompletionStatus status) {
    WorkRequestException error = WorkRequestException.of(10, status, 0, 1);
    if (TestNetwork.isIwarp()) {
      assertTrue(
          Set.of(CompletionStatus.FLUSHED, CompletionStatus.GENERAL_ERROR).contains(status),
          status.toString());
    } else {
      assertInstanceOf(WorkRequestException.RemoteAccess.class, error);
    }
  }

  private void assertNothingMore() {
    assertEquals(List.of(), client.poll());
  }

  /** Flushed reads succeed when they are posted again on a new queue pair. */
  private void readAgain() {
    try (Pair again = Pair.connect()) {
      MemoryRegion source = again.serverEnd.filled(SIZE, 8, Set.of(REMOTE_READ));
      MemoryRegion sink = again.clientEnd.region(SIZE, again.clientEnd.sink());
      list.clear();
      list.addRead(1, SendFlag.SIGNALED, sink, 0, SIZE, source.address(), source.remoteKey());
      again.client.queuePair().post(list);
      assertEquals(CompletionStatus.SUCCESS, again.clientEnd.await(1).getFirst().status());
      assertEquals(-1, source.memory().mismatch(sink.memory()));
    }
  }
}
