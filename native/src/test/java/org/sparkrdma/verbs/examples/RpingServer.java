package org.sparkrdma.verbs.examples;

import java.util.Set;
import org.sparkrdma.verbs.Access;
import org.sparkrdma.verbs.Connection;
import org.sparkrdma.verbs.ConnectionOptions;
import org.sparkrdma.verbs.ConnectionRequest;
import org.sparkrdma.verbs.Listener;
import org.sparkrdma.verbs.MemoryRegion;
import org.sparkrdma.verbs.WorkRequestException;

/** rping's server: fetches what the client offers, and writes it back. */
final class RpingServer {
  private static final RemoteBuffer GO_AHEAD = new RemoteBuffer(0, 0, 0);

  private RpingServer() {}

  /** Serves one client until it disconnects; returns the number of rounds. */
  static int serve(Listener listener, Rping.Options options) {
    try (ConnectionRequest request = listener.accept(Endpoint.TIMEOUT_MILLIS);
        Endpoint endpoint = new Endpoint(request.deviceName());
        RpingChannel channel =
            new RpingChannel(
                endpoint, request.createQueuePair(endpoint.domain(), endpoint.options()))) {
      MemoryRegion buffer = endpoint.register(options.size(), endpoint.readSink());
      ConnectionOptions nothingForThePeer =
          ConnectionOptions.defaults()
              .withRemoteAccess(
                  endpoint.readSink().contains(Access.REMOTE_WRITE)
                      ? Set.of(Access.REMOTE_WRITE)
                      : Set.of());
      try (Connection connection =
          request.accept(nothingForThePeer, new byte[0], Endpoint.TIMEOUT_MILLIS)) {
        return serveRounds(channel, buffer, connection);
      }
    }
  }

  private static int serveRounds(RpingChannel channel, MemoryRegion buffer, Connection connection) {
    int rounds = 0;
    try {
      while (true) {
        RemoteBuffer source = channel.receive();
        channel.read(source, buffer);
        channel.send(GO_AHEAD);
        RemoteBuffer target = channel.receive();
        channel.write(buffer, source.length(), target);
        // The client may have the last message and be gone before the send is reported done.
        rounds++;
        channel.send(GO_AHEAD);
      }
    } catch (WorkRequestException.Flushed e) {
      // The client has disconnected, and the posted receive was flushed: the normal end.
      connection.awaitDisconnected(Endpoint.TIMEOUT_MILLIS);
      return rounds;
    }
  }
}
