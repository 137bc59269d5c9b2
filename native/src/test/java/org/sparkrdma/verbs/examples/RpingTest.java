package org.sparkrdma.verbs.examples;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.sparkrdma.verbs.ConnectException;
import org.sparkrdma.verbs.ConnectionManager;
import org.sparkrdma.verbs.Listener;
import org.sparkrdma.verbs.VerbsTest;

/** Our rping against itself, and in both roles against rdma-core's, with verification. */
@VerbsTest
final class RpingTest {
  private static final Path RPING = Path.of("/usr/bin/rping");
  private static final String HOST = System.getenv("RDMA_TEST_ADDRESS");
  private static final int ROUNDS = 1000;
  private static final int SIZE = 4096;

  private static Rping.Options options(int port) {
    return new Rping.Options(new InetSocketAddress(HOST, port), ROUNDS, SIZE, true);
  }

  @Test
  void bothRolesInOneProcess() throws Exception {
    try (ConnectionManager manager = ConnectionManager.open();
        Listener listener = manager.listen(new InetSocketAddress(HOST, 0), 1)) {
      Rping.Options options = options(listener.address().getPort());
      FutureTask<Integer> serving =
          WriteReadCompareTest.inBackground(() -> RpingServer.serve(listener, options));
      assertEquals(ROUNDS, RpingClient.ping(manager, options));
      assertEquals(ROUNDS, serving.get(30, TimeUnit.SECONDS));
    }
  }

  @Test
  void ourServerForRdmaCoresClient() throws Exception {
    assumeTrue(Files.isExecutable(RPING), "rdma-core's rping is not installed");
    try (ConnectionManager manager = ConnectionManager.open();
        Listener listener = manager.listen(new InetSocketAddress(HOST, 0), 1)) {
      Rping.Options options = options(listener.address().getPort());
      FutureTask<Integer> serving =
          WriteReadCompareTest.inBackground(() -> RpingServer.serve(listener, options));
      Process client = start("-c", "-v", "-C", "" + ROUNDS, options.address().getPort());
      String output = outputOf(client);
      assertEquals(0, client.waitFor(), output);
      assertEquals(ROUNDS, serving.get(30, TimeUnit.SECONDS), output);
      // With -v it prints each round that it has compared.
      assertTrue(output.contains("rdma-ping-" + (ROUNDS - 1)), output);
    }
  }

  @Test
  void ourClientForRdmaCoresServer() throws Exception {
    assumeTrue(Files.isExecutable(RPING), "rdma-core's rping is not installed");
    int port = 7175;
    Process server = start("-s", "-v", "-C", "" + ROUNDS, port);
    FutureTask<String> output = WriteReadCompareTest.inBackground(() -> outputOf(server));
    try (ConnectionManager manager = ConnectionManager.open()) {
      assertEquals(ROUNDS, pingWhenItListens(manager, options(port)));
      assertTrue(output.get(30, TimeUnit.SECONDS).contains("rdma-ping-" + (ROUNDS - 1)));
    } finally {
      server.destroy();
    }
  }

  private static int pingWhenItListens(ConnectionManager manager, Rping.Options options)
      throws InterruptedException {
    for (int attempt = 1; ; attempt++) {
      try {
        return RpingClient.ping(manager, options);
      } catch (ConnectException e) {
        if (attempt == 50) {
          throw e;
        }
        Thread.sleep(200);
      }
    }
  }

  private static Process start(String role, String verify, String count, String rounds, int port)
      throws IOException {
    List<String> command = new ArrayList<>(List.of(RPING.toString(), role, verify, count, rounds));
    command.addAll(List.of("-a", HOST, "-p", "" + port, "-S", "" + SIZE));
    return new ProcessBuilder(command).redirectErrorStream(true).start();
  }

  private static String outputOf(Process process) throws IOException {
    return new String(process.getInputStream().readAllBytes(), UTF_8);
  }
}
