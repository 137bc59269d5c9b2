package org.apache.spark.shuffle.rdma.doctor.path;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.spark.shuffle.rdma.conf.RdmaConf;
import org.apache.spark.shuffle.rdma.fabric.Fabric;
import org.apache.spark.shuffle.rdma.fabric.choice.FabricChoice;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A server and probers in one process, on the software fabric. */
@Timeout(60)
final class PathTest {

  private static final String HOST = "127.0.0.1";
  private static final InetAddress LOOPBACK = InetAddress.ofLiteral(HOST);
  private static final int BYTES = 1 << 20;

  private final BlockingQueue<String> log = new LinkedBlockingQueue<>();
  private @Nullable Fabric fabric;
  private @Nullable PathServer server;

  private static Fabric fabric(String owner, boolean direct, byte @Nullable [] secret)
      throws IOException {
    Map<String, String> settings =
        Map.of(
            "spark.shuffle.rdma.fabric",
            "software",
            "spark.shuffle.rdma.sameHostDirect",
            Boolean.toString(direct));
    return new FabricChoice(new RdmaConf(settings::get), HOST, owner, secret).start(HOST);
  }

  private int serve(byte @Nullable [] secret) throws IOException {
    fabric = fabric("server", true, secret);
    server = new PathServer(fabric, 0, BYTES, secret, log::add);
    return server.port();
  }

  private static String message(IOException e) {
    return String.valueOf(e.getMessage());
  }

  @AfterEach
  void end() {
    if (server != null) {
      server.close();
    }
    if (fabric != null) {
      fabric.close();
    }
  }

  private static PathResult probe(int port, boolean direct, byte @Nullable [] secret)
      throws IOException {
    try (PathProbe probe = new PathProbe(HOST, port, secret);
        Fabric own = fabric("prober", direct, secret)) {
      return probe.run(own, List.of(4096L, 65_536L), 2, (done, all, what) -> {});
    }
  }

  @Test
  void everyByteIsComparedAndEverySizeMeasured() throws Exception {
    PathResult result = probe(serve(null), true, null);
    assertEquals("software", result.fabric());
    assertEquals(2L * BYTES, result.verifiedBytes());
    assertEquals(0, result.wrongWords());
    assertEquals(2, result.sizes().size());
    for (SizeResult size : result.sizes()) {
      for (Spread spread :
          List.of(size.readMicros(), size.readGigabytes(), size.tcpMicros(), size.tcpGigabytes())) {
        assertTrue(0 < spread.least() && spread.least() <= spread.median(), spread::toString);
        assertTrue(spread.median() <= spread.most(), spread::toString);
      }
    }
  }

  @Test
  void withASecretBothWaysWork() throws Exception {
    byte[] secret = "the same".getBytes(UTF_8);
    int port = serve(secret);
    assertEquals(0, probe(port, true, secret).wrongWords());
    PathResult byTcp = probe(port, false, secret);
    assertEquals("TCP", byTcp.way());
    assertEquals(0, byTcp.wrongWords());
  }

  @Test
  void aMemoryThatDiffersIsSeen() throws Exception {
    try (Fabric own = fabric("owner", true, null);
        PatternedMemory memory = new PatternedMemory(own, BYTES, Fabric.Access.LOCAL_WRITE)) {
      memory.fill(5);
      assertEquals(0, memory.countWrong(5, 0, BYTES));
      memory.bytes(8, 8).put(0, (byte) (memory.bytes(8, 8).get(0) ^ 1));
      assertEquals(1, memory.countWrong(5, 0, BYTES));
      assertEquals(BYTES / 8, memory.countWrong(6, 0, BYTES));
      assertEquals(BYTES / 8, memory.countWrong(5, 8, BYTES), "a place that differs");
    }
  }

  @Test
  void whoLacksTheSecretIsRefused() throws Exception {
    int port = serve("right".getBytes(UTF_8));
    IOException wrong =
        assertThrows(IOException.class, () -> new PathProbe(HOST, port, "wrong".getBytes(UTF_8)));
    assertTrue(message(wrong).contains("its secret is another one"), wrong::toString);
    assertTrue(String.valueOf(log.poll(10, TimeUnit.SECONDS)).contains("prove the secret"));
    IOException none = assertThrows(IOException.class, () -> new PathProbe(HOST, port, null));
    assertTrue(message(none).contains("--secret-file"), none::toString);
  }

  @Test
  void aSecretIsNotGivenToAServerThatHasNone() throws Exception {
    int port = serve(null);
    IOException e =
        assertThrows(IOException.class, () -> new PathProbe(HOST, port, new byte[] {1}));
    assertTrue(message(e).contains("the server has no secret"), e::toString);
  }

  /** Any bytes, before and after a greeting: the next prober finds the server as it was. */
  @Test
  void garbageIsCutOffAndDisturbsNobody() throws Exception {
    int port = serve(null);
    long seed = Long.getLong("seed", System.nanoTime());
    System.out.println("seed=" + seed);
    Random random = new Random(seed);
    for (int i = 0; i < 20; i++) {
      byte[] garbage = new byte[Greeting.PROBER_HELLO_BYTES + random.nextInt(200)];
      random.nextBytes(garbage);
      try (Socket socket = new Socket(LOOPBACK, port);
          OutputStream out = socket.getOutputStream()) {
        out.write(garbage);
        out.flush();
        assertTrue(String.valueOf(log.poll(10, TimeUnit.SECONDS)).contains("isn't an rdma-doctor"));
      }
    }
    for (long bytes : new long[] {0, -1, BYTES + 1L, Long.MAX_VALUE}) {
      try (PathClient client = new PathClient(new InetSocketAddress(LOOPBACK, port), null)) {
        assertThrows(IOException.class, () -> client.ask(bytes));
      }
      assertTrue(String.valueOf(log.poll(10, TimeUnit.SECONDS)).contains("it asked for " + bytes));
    }
    assertEquals(0, probe(port, true, null).wrongWords());
  }

  @Test
  void whatIsNoServerIsSaidToBeNone() throws Exception {
    try (var stranger = new ServerSocket(0, 1, LOOPBACK)) {
      Thread.ofVirtual()
          .start(
              () -> {
                try (Socket socket = stranger.accept()) {
                  socket.getOutputStream().write(new byte[Greeting.SERVER_HELLO_BYTES]);
                } catch (IOException e) {
                  // The prober has gone.
                }
              });
      IOException e =
          assertThrows(IOException.class, () -> new PathProbe(HOST, stranger.getLocalPort(), null));
      assertTrue(message(e).contains("isn't an rdma-doctor"), e::toString);
    }
  }

  @Test
  void aMalformedWelcomeIsRefused() throws Exception {
    Welcome welcome = new Welcome("software", LOOPBACK, new byte[] {1}, new Target(1, 2, 8, 3));
    byte[] good = welcome.encode();
    assertEquals(welcome.target(), Welcome.parse(ByteBuffer.wrap(good)).target());
    for (int length = 0; length < good.length - 1; length++) {
      ByteBuffer cut = ByteBuffer.wrap(good, 0, length);
      assertThrows(IOException.class, () -> Welcome.parse(cut), "cut to " + length);
    }
  }
}
