package org.apache.spark.shuffle.rdma.fabric.software;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.spark.shuffle.rdma.fabric.Connection;
import org.apache.spark.shuffle.rdma.fabric.Fabric;
import org.apache.spark.shuffle.rdma.fabric.FabricException;
import org.apache.spark.shuffle.rdma.fabric.FabricException.Kind;
import org.apache.spark.shuffle.rdma.fabric.FabricHarness;
import org.apache.spark.shuffle.rdma.fabric.Nonce;
import org.apache.spark.shuffle.rdma.fabric.Proof;
import org.apache.spark.shuffle.rdma.fabric.Region;
import org.junit.jupiter.api.Test;

/** Both sides prove the application's secret, freshly for each connection. */
final class SecretTest extends FabricHarness {

  /** The owner's name up to a dash is its secret; "none" has none. */
  @Override
  protected Fabric newFabric(String owner) throws FabricException {
    String secret = owner.substring(0, owner.indexOf('-'));
    return SoftwareFabric.start(
        secret.equals("none") ? Options.of(owner, false) : Options.tcp(owner, secret, 20_000));
  }

  @Test
  void theSameSecretConnects() throws Exception {
    Fabric server = start("blue-server");
    Fabric client = start("blue-client");
    Region from = remote(server, 64);
    try (Connection connection = connect(client, server.address())) {
      succeed(connection, List.of(read(from, local(client, 64), 0, 64)));
    }
  }

  /** What docs/security.md says of that way: its border is the operating system's user. */
  @Test
  void theDirectWayWithinAHostAsksForNoSecret() throws Exception {
    for (boolean direct : new boolean[] {true, false}) {
      byte[] red = "red".getBytes(StandardCharsets.UTF_8);
      byte[] blue = "blue".getBytes(StandardCharsets.UTF_8);
      SoftwareOptions options =
          new SoftwareOptions("127.0.0.1", direct, false, 20_000, red, "client");
      try (Fabric server =
              SoftwareFabric.start(
                  new SoftwareOptions("127.0.0.1", true, false, 20_000, blue, "server"));
          Fabric client = SoftwareFabric.start(options)) {
        if (direct) {
          try (Connection connection = connect(client, server.address())) {
            assertEquals(Connection.Way.DIRECT, connection.way());
          }
        } else {
          assertEquals(Kind.AUTHENTICATION_FAILED, connectFailure(client, server.address()));
        }
      }
    }
  }

  @Test
  void aWildcardAddressIsNotListenedAt() {
    for (String host : List.of("0.0.0.0", "::")) {
      SoftwareOptions options = new SoftwareOptions(host, false, false, 20_000, null, "server");
      assertThrows(IllegalArgumentException.class, () -> SoftwareFabric.start(options));
    }
  }

  @Test
  void anotherOrNoSecretDoesNot() throws Exception {
    Fabric server = start("blue-server");
    assertEquals(Kind.AUTHENTICATION_FAILED, connectFailure(start("red-client"), server.address()));
    assertEquals(
        Kind.AUTHENTICATION_FAILED, connectFailure(start("none-client"), server.address()));
    assertEquals(
        Kind.AUTHENTICATION_FAILED,
        connectFailure(start("blue-client"), start("none-server").address()));
  }

  @Test
  void aRecordedHelloProvesNothingLater() throws Exception {
    byte[] address = start("blue-server").address();
    byte[] secret = "blue".getBytes(StandardCharsets.UTF_8);
    byte[] hello;
    try (RawReader first = new RawReader(address)) {
      hello = first.hello(first.greeting(), secret);
      assertEquals(Wire.WELCOME, first.welcome(hello));
    }
    try (RawReader second = new RawReader(address)) {
      assertFalse(second.greeting().sameAs(Nonce.ZERO));
      assertEquals(Wire.WRONG_PROOF, second.welcome(hello));
    }
  }

  @Test
  void anImpostorThatWelcomesEverybodyIsFoundOut() throws Exception {
    SoftwareAddress real = SoftwareAddress.parse(start("blue-server").address());
    try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Thread impostor = Thread.ofVirtual().start(() -> welcomeWithItsOwnProof(listener));
      byte[] address = at(real, listener.getLocalPort()).encode();
      assertEquals(Kind.AUTHENTICATION_FAILED, connectFailure(start("blue-client"), address));
      impostor.join();
    }
  }

  /** Sends the reader's proof back to it. */
  private static void welcomeWithItsOwnProof(ServerSocket listener) {
    try (Socket socket = listener.accept()) {
      ByteBuffer greeting = ByteBuffer.allocate(Wire.GREETING_BYTES);
      greeting.putInt(Wire.MAGIC).put(Wire.VERSION).put(Wire.FLAG_SECRET);
      socket.getOutputStream().write(greeting.array());
      byte[] hello = socket.getInputStream().readNBytes(Wire.HELLO_BYTES);
      ByteBuffer welcome = ByteBuffer.allocate(Wire.WELCOME_BYTES);
      welcome.putInt(Wire.MAGIC).put(Wire.VERSION).put(Wire.WELCOME);
      welcome.put(hello, Wire.HELLO_BYTES - 1 - Proof.BYTES, Proof.BYTES);
      socket.getOutputStream().write(welcome.array());
      int _ = socket.getInputStream().read();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void anAddressOfAnEarlierProcessAtThePortIsRefused() throws Exception {
    SoftwareAddress old = SoftwareAddress.parse(start("none-old").address());
    SoftwareAddress now = SoftwareAddress.parse(start("none-now").address());
    byte[] stale = at(old, now.port()).encode();
    assertEquals(Kind.CONNECT_REFUSED, connectFailure(start("none-client"), stale));
  }

  private static SoftwareAddress at(SoftwareAddress real, int port) {
    return new SoftwareAddress(
        real.host(),
        port,
        real.pid(),
        real.nonce(),
        real.nonceAddress(),
        real.boot(),
        real.owner());
  }
}
