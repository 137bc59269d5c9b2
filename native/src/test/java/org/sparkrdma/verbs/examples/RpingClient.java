package org.sparkrdma.verbs.examples;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Set;
import org.sparkrdma.verbs.Access;
import org.sparkrdma.verbs.Connection;
import org.sparkrdma.verbs.ConnectionAttempt;
import org.sparkrdma.verbs.ConnectionManager;
import org.sparkrdma.verbs.ConnectionOptions;
import org.sparkrdma.verbs.MemoryRegion;

/** rping's client: offers a buffer with a text, gets it back in another, compares. */
final class RpingClient {
  private RpingClient() {}

  /** Does the rounds that are asked for; returns their number. */
  static int ping(ConnectionManager manager, Rping.Options options) {
    try (ConnectionAttempt attempt = manager.resolve(options.address(), Endpoint.TIMEOUT_MILLIS);
        Endpoint endpoint = new Endpoint(attempt.deviceName());
        RpingChannel channel =
            new RpingChannel(
                endpoint, attempt.createQueuePair(endpoint.domain(), endpoint.options()))) {
      MemoryRegion offered = endpoint.register(options.size(), Set.of(Access.REMOTE_READ));
      MemoryRegion returned =
          endpoint.register(options.size(), Set.of(Access.LOCAL_WRITE, Access.REMOTE_WRITE));
      ConnectionOptions serverMayReadAndWrite =
          ConnectionOptions.defaults()
              .withRemoteAccess(Set.of(Access.REMOTE_READ, Access.REMOTE_WRITE));
      try (Connection connection =
          attempt.connect(serverMayReadAndWrite, new byte[0], Endpoint.TIMEOUT_MILLIS)) {
        for (int round = 0; round < options.count(); round++) {
          fill(offered.memory(), round);
          channel.send(RemoteBuffer.of(offered));
          channel.receive();
          channel.send(RemoteBuffer.of(returned));
          channel.receive();
          if (options.verify() && offered.memory().mismatch(returned.memory()) != -1) {
            throw new IllegalStateException("round " + round + " brought back something else");
          }
        }
        connection.disconnect();
        return options.count();
      }
    }
  }

  /** The text of rping, letters after it that differ from round to round, and a zero byte. */
  private static void fill(MemorySegment memory, int round) {
    byte[] head = ("rdma-ping-" + round + ": ").getBytes(US_ASCII);
    long last = memory.byteSize() - 1;
    for (long i = 0; i < last; i++) {
      int letter = i < head.length ? head[(int) i] : 'A' + (int) ((i + round) % 58);
      memory.set(ValueLayout.JAVA_BYTE, i, (byte) letter);
    }
    memory.set(ValueLayout.JAVA_BYTE, last, (byte) 0);
  }
}
