package org.sparkrdma.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** Many peers at the same moment. */
@VerbsTest
final class ManyConnectionsTest {
  private static final int PEERS = 64;
  private static final long TIMEOUT = 60_000;

  @Test
  void sixtyFourConnectAtOnceAndRead() {
    Optional<InetSocketAddress> source = TestNetwork.clientSource();
    try (ConnectionManager manager = ConnectionManager.open();
        Listener listener = manager.listen(TestNetwork.address(0), PEERS);
        End server = new End(deviceName(Optional.empty()));
        End client = new End(deviceName(source));
        WorkRequestList list = new WorkRequestList(1)) {
      List<Future<Connection>> connecting = new ArrayList<>();
      for (int i = 0; i < PEERS; i++) {
        connecting.add(Pair.background(() -> connect(manager, listener, client, source)));
      }
      List<Connection> accepted = new ArrayList<>();
      for (int i = 0; i < PEERS; i++) {
        ConnectionRequest request = listener.accept(TIMEOUT);
        request.createQueuePair(server.domain, small(server));
        accepted.add(request.accept(ConnectionOptions.defaults(), new byte[0], TIMEOUT));
      }
      MemoryRegion region = server.filled(4096, 1, Set.of(Access.REMOTE_READ));
      MemoryRegion sink = client.region(4096, client.sink());
      for (Future<Connection> future : connecting) {
        Connection connection = Pair.result(future);
        list.clear();
        list.addRead(1, SendFlag.SIGNALED, sink, 0, 4096, region.address(), region.remoteKey());
        connection.queuePair().post(list);
        assertEquals(CompletionStatus.SUCCESS, client.await(1).getFirst().status());
        connection.close();
      }
      accepted.forEach(Connection::close);
    }
  }

  private static Connection connect(
      ConnectionManager manager,
      Listener listener,
      End client,
      Optional<InetSocketAddress> source) {
    ConnectionAttempt attempt = manager.resolve(listener.address(), source, 0, TIMEOUT);
    attempt.createQueuePair(client.domain, small(client));
    return attempt.connect(ConnectionOptions.defaults(), new byte[0], TIMEOUT);
  }

  private static QueuePairOptions small(End end) {
    return QueuePairOptions.of(end.completions, 2, 1);
  }

  private static String deviceName(Optional<InetSocketAddress> source) {
    try (ConnectionManager manager = ConnectionManager.open();
        ConnectionAttempt attempt = manager.resolve(TestNetwork.address(4), source, 0, TIMEOUT)) {
      return attempt.deviceName();
    }
  }
}
