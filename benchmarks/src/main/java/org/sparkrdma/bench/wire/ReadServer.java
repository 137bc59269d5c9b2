package org.sparkrdma.bench.wire;

import java.lang.foreign.Arena;
import java.net.InetSocketAddress;
import java.util.Set;
import org.sparkrdma.verbs.Access;
import org.sparkrdma.verbs.CompletionQueue;
import org.sparkrdma.verbs.Connection;
import org.sparkrdma.verbs.ConnectionManager;
import org.sparkrdma.verbs.ConnectionOptions;
import org.sparkrdma.verbs.ConnectionRequest;
import org.sparkrdma.verbs.Device;
import org.sparkrdma.verbs.Devices;
import org.sparkrdma.verbs.Listener;
import org.sparkrdma.verbs.MemoryRegion;
import org.sparkrdma.verbs.ProtectionDomain;
import org.sparkrdma.verbs.QueuePairOptions;

/** Lets its memory be read by whoever connects; runs no code for a read. */
final class ReadServer implements AutoCloseable {

  /** As many as connect at once. */
  private static final int BACKLOG = 16;

  private static final long CONNECT_MILLIS = 30_000;
  private static final long CLIENT_MILLIS = 600_000;

  /** Longer than all rounds of the others that a run can have between two clients. */
  private static final long IDLE_MILLIS = 3_600_000;

  private final ConnectionManager manager = ConnectionManager.open();
  private final Listener listener;
  private final ConnectionOptions options;

  /**
   * @param outstanding reads that are answered at a time
   */
  ReadServer(InetSocketAddress address, int outstanding) {
    listener = manager.listen(address, BACKLOG);
    options = ConnectionOptions.defaults().withReads(outstanding, outstanding);
  }

  /** Where it listens. */
  InetSocketAddress address() {
    return listener.address();
  }

  /** Takes in the next client, which a thread of its own serves until it disconnects. */
  void acceptOne() {
    ConnectionRequest request = listener.accept(IDLE_MILLIS);
    Thread.ofPlatform().daemon().name("serving").start(() -> serve(request));
  }

  private void serve(ConnectionRequest accepted) {
    try (Arena arena = Arena.ofShared();
        ConnectionRequest request = accepted;
        Device device = Devices.open(request.deviceName())) {
      ProtectionDomain domain = device.allocateProtectionDomain();
      CompletionQueue queue = device.createCompletionQueue(2);
      MemoryRegion region =
          domain.register(arena.allocate(ReadTarget.BYTES, 4096), Set.of(Access.REMOTE_READ));
      ReadTarget.fill(region.memory());
      request.createQueuePair(domain, QueuePairOptions.of(queue, 1, 1));
      ReadTarget target = new ReadTarget(region.address(), region.remoteKey());
      try (Connection connection = request.accept(options, target.encode(), CONNECT_MILLIS)) {
        connection.awaitDisconnected(CLIENT_MILLIS);
      }
    }
  }

  @Override
  public void close() {
    listener.close();
    manager.close();
  }
}
