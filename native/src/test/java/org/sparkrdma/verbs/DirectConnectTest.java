package org.sparkrdma.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Set;
import org.junit.jupiter.api.Test;

/** Queue pairs that are connected with no connection manager. */
@VerbsTest
final class DirectConnectTest {
  @Test
  void twoQueuePairsConnectByExchangedAddresses() {
    String name = Devices.list().getFirst().name();
    try (End client = new End(name);
        End server = new End(name);
        WorkRequestList list = new WorkRequestList(1)) {
      Gid gid = client.device.gids(1).getLast();
      QueuePair one = client.domain.createQueuePair(client.options());
      QueuePair two = server.domain.createQueuePair(server.options());
      ConnectionOptions options = ConnectionOptions.defaults();
      if (client.device.info().transport() == DeviceInfo.Transport.IWARP) {
        assertThrows(VerbException.class, () -> one.connect(gid, two.address(gid), options));
        return;
      }
      one.connect(gid, two.address(gid), options);
      two.connect(gid, one.address(gid), options);
      assertEquals(QueuePairState.READY_TO_SEND, one.state());
      MemoryRegion source = server.filled(5000, 1, Set.of(Access.REMOTE_READ));
      MemoryRegion sink = client.region(5000, client.sink());
      list.addRead(1, SendFlag.SIGNALED, sink, 0, 5000, source.address(), source.remoteKey());
      one.post(list);
      assertEquals(CompletionStatus.SUCCESS, client.await(1).getFirst().status());
      assertEquals(-1, source.memory().mismatch(sink.memory()));
    }
  }
}
