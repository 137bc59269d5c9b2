package org.sparkrdma.verbs;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.sparkrdma.verbs.Access.REMOTE_READ;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.sparkrdma.verbs.End.Completed;

/** The process that is read from is killed. */
@VerbsTest
final class PeerDeathTest {
  private static final int READS = 60;
  private static final int BYTES = 32 << 20;
  private static final long TIMEOUT = TestNetwork.TIMEOUT_MILLIS;

  /** Prints its port, lets one client read, and waits to be killed. */
  static final class Peer {
    private Peer() {}

    public static void main(String[] args) throws InterruptedException {
      try (ConnectionManager manager = ConnectionManager.open();
          Listener listener = manager.listen(TestNetwork.address(0), 1)) {
        System.out.println(listener.address().getPort());
        ConnectionRequest request = listener.accept(TIMEOUT);
        try (End end = new End(request.deviceName())) {
          request.createQueuePair(end.domain, end.options());
          MemoryRegion region = end.region(BYTES, Set.of(REMOTE_READ));
          byte[] place =
              ByteBuffer.allocate(12).putLong(region.address()).putInt(region.remoteKey()).array();
          try (Connection _ = request.accept(ConnectionOptions.defaults(), place, TIMEOUT)) {
            Thread.sleep(60_000);
          }
        }
      }
    }
  }

  @Test
  void everyReadUnderWayEndsWithATypedErrorAndTheProcessGoesOn() throws IOException {
    Process peer =
        new ProcessBuilder(ChildJvm.command(Peer.class))
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try (BufferedReader output = peer.inputReader(UTF_8);
        ConnectionManager manager = ConnectionManager.open();
        ConnectionAttempt attempt =
            manager.resolve(
                TestNetwork.address(Integer.parseInt(output.readLine().strip())), TIMEOUT);
        End end = new End(attempt.deviceName())) {
      attempt.createQueuePair(end.domain, end.options());
      try (Connection connection =
          attempt.connect(ConnectionOptions.defaults(), new byte[0], TIMEOUT)) {
        readUntilThePeerIsGone(connection, end, peer);
      }
    } finally {
      peer.destroyForcibly();
    }
    readFromAnother();
  }

  /**
   * Posts all reads before: siw forgets, and never completes, what is posted to a queue pair that
   * has broken already.
   */
  private static void readUntilThePeerIsGone(Connection connection, End end, Process peer) {
    ByteBuffer place = ByteBuffer.wrap(connection.privateData());
    MemoryRegion sink = end.region(BYTES, end.sink());
    try (WorkRequestList reads = new WorkRequestList(READS)) {
      for (int i = 0; i < READS; i++) {
        reads.addRead(i, SendFlag.SIGNALED, sink, 0, BYTES, place.getLong(0), place.getInt(8));
      }
      connection.queuePair().post(reads);
    }
    List<Completed> done = new ArrayList<>(end.await(1));
    assertEquals(CompletionStatus.SUCCESS, done.getFirst().status());
    // SIGKILL. The reads together take so long that it comes between them, on rxe at least.
    peer.destroyForcibly();
    done.addAll(end.await(READS - done.size()));
    assertEquals(List.of(), end.poll());
    List<WorkRequestException> failures =
        done.stream()
            .filter(c -> c.status() != CompletionStatus.SUCCESS)
            .map(c -> WorkRequestException.of(c.id(), c.status(), 0, 0))
            .toList();
    if (failures.isEmpty() && TestNetwork.isIwarp()) {
      // On one processor, siw's kernel thread may do all before the peer has the time to die.
      connection.awaitDisconnected(TIMEOUT);
      return;
    }
    assertFalse(failures.isEmpty());
    WorkRequestException first = failures.getFirst();
    assertTrue(
        first instanceof WorkRequestException.NoAnswer
            || first instanceof WorkRequestException.RemoteAccess
            || first instanceof WorkRequestException.Flushed,
        first.getMessage());
    for (WorkRequestException behind : failures.subList(1, failures.size())) {
      assertEquals(CompletionStatus.FLUSHED, behind.status());
    }
    assertEquals(READS - 1, failures.getLast().workRequestId());
  }

  private static void readFromAnother() {
    try (Pair pair = Pair.connect();
        WorkRequestList list = new WorkRequestList(1)) {
      MemoryRegion source = pair.serverEnd.filled(4096, 1, Set.of(REMOTE_READ));
      MemoryRegion sink = pair.clientEnd.region(4096, pair.clientEnd.sink());
      list.addRead(1, SendFlag.SIGNALED, sink, 0, 4096, source.address(), source.remoteKey());
      pair.client.queuePair().post(list);
      assertEquals(CompletionStatus.SUCCESS, pair.clientEnd.await(1).getFirst().status());
      assertEquals(-1, source.memory().mismatch(sink.memory()));
    }
  }
}
