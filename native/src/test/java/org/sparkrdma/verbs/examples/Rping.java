package org.sparkrdma.verbs.examples;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import org.sparkrdma.verbs.ConnectionManager;
import org.sparkrdma.verbs.Listener;

/**
 * The protocol of rdma-core's rping, in both roles, and with its options:
 *
 * <pre>
 *   Rping -s -a ADDRESS [-p PORT] [-S SIZE]            serves one client
 *   Rping -c -a ADDRESS [-p PORT] [-S SIZE] [-C COUNT] [-v]
 * </pre>
 *
 * A round: the client announces a buffer, the server READs it and says go ahead; the client
 * announces another buffer, the server WRITEs the same bytes there and says go ahead; the client
 * compares.
 */
public final class Rping {
  /**
   * Iterations, bytes of a message with the zero byte at its end, and whether the client compares.
   */
  record Options(InetSocketAddress address, int count, int size, boolean verify) {}

  private static final int DEFAULT_PORT = 7174;

  private Rping() {}

  public static void main(String[] args) throws UnknownHostException {
    Options options = parse(args);
    try (ConnectionManager manager = ConnectionManager.open()) {
      if (args[0].equals("-s")) {
        try (Listener listener = manager.listen(options.address(), 1)) {
          System.out.println("server: rounds served: " + RpingServer.serve(listener, options));
        }
      } else {
        System.out.println("client: rounds done: " + RpingClient.ping(manager, options));
      }
    }
  }

  static Options parse(String[] args) throws UnknownHostException {
    InetAddress host = InetAddress.getLoopbackAddress();
    int port = DEFAULT_PORT;
    int count = 1;
    int size = 100;
    boolean verify = false;
    for (int i = 1; i < args.length; i++) {
      switch (args[i]) {
        case "-a" -> host = InetAddress.getByName(args[++i]);
        case "-p" -> port = Integer.parseInt(args[++i]);
        case "-C" -> count = Integer.parseInt(args[++i]);
        case "-S" -> size = Integer.parseInt(args[++i]);
        case "-v" -> verify = true;
        default -> throw new IllegalArgumentException(args[i]);
      }
    }
    return new Options(new InetSocketAddress(host, port), count, size, verify);
  }
}
