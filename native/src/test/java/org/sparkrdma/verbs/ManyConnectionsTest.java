package org.sparkrdma.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Many peers at the same moment, spread over the devices: libsiw can't map more than about 70 queue
 * pairs of one device in one process, since it takes the mapping offset 0x90000 for an error.
 */
@VerbsTest
final class ManyConnectionsTest {
  private static final int PEERS = 64;
  private static final long TIMEOUT = 60_000;
  private static final int BYTES = 4096;

  private final Map<String, End> clients = new ConcurrentHashMap<>();
  private final Map<String, End> servers = new ConcurrentHashMap<>();

  @AfterEach
  void close() {
    clients.values().forEach(End::close);
    servers.values().forEach(End::close);
  }

  @Test
  void sixtyFourConnectAtOnceAndRead() {
    List<InetAddress> addresses = TestNetwork.addresses();
    try (ConnectionManager manager = ConnectionManager.open();
        Listener listener = manager.listen(new InetSocketAddress(0), PEERS);
        WorkRequestList list = new WorkRequestList(1)) {
      List<Future<Connection>> connecting = new ArrayList<>();
      for (int i = 0; i < PEERS; i++) {
        InetAddress address = addresses.get(i % addresses.size());
        InetSocketAddress server = new InetSocketAddress(address, listener.address().getPort());
        connecting.add(Pair.background(() -> connect(manager, server)));
      }
      List<Connection> accepted = new ArrayList<>();
      for (int i = 0; i < PEERS; i++) {
        accepted.add(accept(listener));
      }
      for (Future<Connection> future : connecting) {
        Connection connection = Pair.result(future);
        read(connection, list);
        connection.close();
      }
      accepted.forEach(Connection::close);
    }
  }

  private Connection connect(ConnectionManager manager, InetSocketAddress server) {
    ConnectionAttempt attempt = manager.resolve(server, TIMEOUT);
    End client = clients.computeIfAbsent(attempt.deviceName(), End::new);
    attempt.createQueuePair(client.domain, QueuePairOptions.of(client.completions, 2, 1));
    return attempt.connect(ConnectionOptions.defaults(), new byte[0], TIMEOUT);
  }

  private Connection accept(Listener listener) {
    ConnectionRequest request = listener.accept(TIMEOUT);
    End server = servers.computeIfAbsent(request.deviceName(), End::new);
    request.createQueuePair(server.domain, QueuePairOptions.of(server.completions, 2, 1));
    return request.accept(ConnectionOptions.defaults(), new byte[0], TIMEOUT);
  }

  /** Both ends of a connection within this machine are on the same device. */
  private void read(Connection connection, WorkRequestList list) {
    String device = connection.queuePair().protectionDomain().device().name();
    End client = Objects.requireNonNull(clients.get(device));
    End server = Objects.requireNonNull(servers.get(device));
    try (MemoryRegion source = server.filled(BYTES, 1, Set.of(Access.REMOTE_READ));
        MemoryRegion sink = client.region(BYTES, client.sink())) {
      list.clear();
      list.addRead(1, SendFlag.SIGNALED, sink, 0, BYTES, source.address(), source.remoteKey());
      connection.queuePair().post(list);
      assertEquals(CompletionStatus.SUCCESS, client.await(1).getFirst().status());
      assertEquals(-1, source.memory().mismatch(sink.memory()));
    }
  }
}
