package org.sparkrdma.verbs.examples;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.Set;
import org.sparkrdma.verbs.Access;
import org.sparkrdma.verbs.Connection;
import org.sparkrdma.verbs.ConnectionAttempt;
import org.sparkrdma.verbs.ConnectionManager;
import org.sparkrdma.verbs.ConnectionOptions;
import org.sparkrdma.verbs.ConnectionRequest;
import org.sparkrdma.verbs.Listener;
import org.sparkrdma.verbs.MemoryRegion;
import org.sparkrdma.verbs.SendFlag;
import org.sparkrdma.verbs.WorkRequestList;

/**
 * A server gives out a buffer; a client writes a text into it, reads it back and compares. The
 * server's program only connects, and looks into its buffer at the end: both transfers are done by
 * the devices.
 *
 * <pre>
 *   WriteReadCompare server ADDRESS PORT
 *   WriteReadCompare client ADDRESS PORT TEXT
 * </pre>
 */
public final class WriteReadCompare {
  private static final int BUFFER_BYTES = 4096;
  private static final ConnectionOptions PEER_MAY_READ_AND_WRITE =
      ConnectionOptions.defaults()
          .withRemoteAccess(Set.of(Access.REMOTE_READ, Access.REMOTE_WRITE));

  private WriteReadCompare() {}

  public static void main(String[] args) {
    InetSocketAddress address = new InetSocketAddress(args[1], Integer.parseInt(args[2]));
    try (ConnectionManager manager = ConnectionManager.open()) {
      if (args[0].equals("server")) {
        try (Listener listener = manager.listen(address, 1)) {
          System.out.println("listening on " + listener.address());
          System.out.println("the client left: " + serve(listener));
        }
      } else {
        System.out.println("read back: " + writeAndReadBack(manager, address, args[3]));
      }
    }
  }

  /** Serves one client; returns the text that is in the buffer when it has gone. */
  static String serve(Listener listener) {
    try (ConnectionRequest request = listener.accept(Endpoint.TIMEOUT_MILLIS);
        Endpoint endpoint = new Endpoint(request.deviceName())) {
      MemoryRegion region =
          endpoint.register(
              BUFFER_BYTES, Set.of(Access.LOCAL_WRITE, Access.REMOTE_READ, Access.REMOTE_WRITE));
      request.createQueuePair(endpoint.domain(), endpoint.options());
      byte[] permission = RemoteBuffer.of(region).encode();
      try (Connection connection =
          request.accept(PEER_MAY_READ_AND_WRITE, permission, Endpoint.TIMEOUT_MILLIS)) {
        connection.awaitDisconnected(Endpoint.TIMEOUT_MILLIS);
        return region.memory().getString(0);
      }
    }
  }

  /** Returns what came back; throws if it is not what was written. */
  static String writeAndReadBack(ConnectionManager manager, InetSocketAddress server, String text) {
    try (ConnectionAttempt attempt = manager.resolve(server, Endpoint.TIMEOUT_MILLIS);
        Endpoint endpoint = new Endpoint(attempt.deviceName())) {
      attempt.createQueuePair(endpoint.domain(), endpoint.options());
      try (Connection connection =
          attempt.connect(ConnectionOptions.defaults(), new byte[0], Endpoint.TIMEOUT_MILLIS)) {
        RemoteBuffer remote = RemoteBuffer.decode(connection.privateData());
        String back = transfer(endpoint, connection, remote, text);
        connection.disconnect();
        return back;
      }
    }
  }

  private static String transfer(
      Endpoint endpoint, Connection connection, RemoteBuffer remote, String text) {
    // The text, and the zero byte that ends it.
    byte[] bytes = Arrays.copyOf(text.getBytes(UTF_8), text.getBytes(UTF_8).length + 1);
    if (bytes.length > remote.length()) {
      throw new IllegalArgumentException(
          bytes.length + " bytes, the server has " + remote.length());
    }
    MemoryRegion source = endpoint.register(bytes.length, Set.of());
    MemoryRegion target = endpoint.register(bytes.length, endpoint.readSink());
    source.memory().copyFrom(MemorySegment.ofArray(bytes));
    try (WorkRequestList list = new WorkRequestList(2)) {
      list.addWrite(1, SendFlag.NONE, source, 0, bytes.length, remote.address(), remote.key());
      list.addRead(2, SendFlag.SIGNALED, target, 0, bytes.length, remote.address(), remote.key());
      connection.queuePair().post(list);
      endpoint.await(2);
    }
    if (source.memory().mismatch(target.memory()) != -1) {
      throw new IllegalStateException("read back something else than was written");
    }
    return target.memory().getString(0);
  }
}
