package org.apache.spark.shuffle.rdma.fabric.verbs;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.apache.spark.shuffle.rdma.fabric.Connection;
import org.apache.spark.shuffle.rdma.fabric.Fabric;
import org.apache.spark.shuffle.rdma.fabric.FabricException;
import org.apache.spark.shuffle.rdma.fabric.FabricException.Kind;
import org.apache.spark.shuffle.rdma.fabric.FabricHarness;
import org.apache.spark.shuffle.rdma.fabric.Nonce;
import org.apache.spark.shuffle.rdma.fabric.Region;
import org.junit.jupiter.api.Test;
import org.sparkrdma.verbs.ConnectionManager;
import org.sparkrdma.verbs.Listener;

/** When connections are made, refused and closed. */
@DeviceTest
final class ConnectionsTest extends FabricHarness {

  @Override
  protected Fabric newFabric(String owner) throws FabricException {
    return switch (owner) {
      case "two" -> VerbsFabric.start(Verbs.limits(Verbs.options(owner, null), 2, 60_000));
      case "idle" -> VerbsFabric.start(Verbs.limits(Verbs.options(owner, null), 64, 200));
      case "server with secret", "client with secret" ->
          VerbsFabric.start(Verbs.options(owner, "s1".getBytes(UTF_8)));
      case "other secret" -> VerbsFabric.start(Verbs.options(owner, "s2".getBytes(UTF_8)));
      case "hasty" -> VerbsFabric.start(Verbs.hasty(Verbs.options(owner, null)));
      default -> Verbs.start(owner);
    };
  }

  @Test
  void idleOnesCloseAndALateListSaysSo() throws Exception {
    Fabric server = start("server");
    Fabric client = start("idle");
    Region from = remote(server, 64);
    Region to = local(client, 64);
    Connection connection = connect(client, server.address());
    succeed(connection, List.of(read(from, to, 0, 64)));
    await(() -> !connection.isOpen());
    // The kind that makes the fetch engine connect anew and read again.
    assertEquals(Kind.CONNECTION_LOST, failure(connection, List.of(read(from, to, 0, 64))));
    succeed(connect(client, server.address()), List.of(read(from, to, 0, 64)));
  }

  @Test
  void theLeastRecentlyUsedMakesRoom() throws Exception {
    Fabric client = start("two");
    Region to = local(client, 64);
    List<Connection> connections = new ArrayList<>();
    List<Region> regions = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      Fabric server = start("server");
      regions.add(remote(server, 64));
      if (i == 2) {
        succeed(connections.get(0), List.of(read(regions.get(0), to, 0, 64)));
      }
      connections.add(connect(client, server.address()));
      succeed(connections.get(i), List.of(read(regions.get(i), to, 0, 64)));
    }
    assertTrue(connections.get(0).isOpen());
    assertFalse(connections.get(1).isOpen());
    assertTrue(connections.get(2).isOpen());
  }

  @Test
  void sixtyFourConnectAtOnceAndStay() throws Exception {
    Fabric server = start("server");
    Fabric client = start("client");
    Region from = remote(server, 64);
    Region to = local(client, 64);
    List<CompletableFuture<Connection>> connecting = new ArrayList<>();
    for (int i = 0; i < 64; i++) {
      connecting.add(client.connect(server.address()));
    }
    for (var future : connecting) {
      succeed(future.get(LIMIT_SECONDS, TimeUnit.SECONDS), List.of(read(from, to, 0, 64)));
    }
    for (var future : connecting) {
      assertTrue(future.get().isOpen());
    }
  }

  @Test
  void onlyWhoHasTheSecretConnects() throws Exception {
    Fabric server = start("server with secret");
    succeedOnce(server, start("client with secret"));
    assertEquals(
        Kind.AUTHENTICATION_FAILED, connectFailure(start("other secret"), server.address()));
    assertEquals(Kind.AUTHENTICATION_FAILED, connectFailure(start("client"), server.address()));
    // The other way round: who asks for no proof of a secret is refused one, too.
    Fabric open = start("server");
    assertEquals(
        Kind.AUTHENTICATION_FAILED, connectFailure(start("client with secret"), open.address()));
  }

  private void succeedOnce(Fabric server, Fabric client) throws Exception {
    Region from = remote(server, 64);
    succeed(connect(client, server.address()), List.of(read(from, local(client, 64), 0, 64)));
  }

  @Test
  void aListenerThatNeverAnswersIsADeadlineAndNobodyIsARefusal() throws Exception {
    Fabric client = start("hasty");
    Fabric server = start("server");
    byte[] address;
    try (ConnectionManager manager = ConnectionManager.open();
        Listener silent = manager.listen(new InetSocketAddress(Verbs.address("server"), 0), 16)) {
      address = addressOf(silent);
      assertEquals(Kind.PEER_UNREACHABLE, connectFailure(client, address));
    }
    assertEquals(Kind.CONNECT_REFUSED, connectFailure(client, address));
    succeedOnce(server, client);
  }

  private static byte[] addressOf(Listener listener) {
    return new VerbsAddress(
            Verbs.address("server"), listener.address().getPort(), Nonce.random(), "silent")
        .encode();
  }

  private static void await(BooleanSupplier condition) throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_SECONDS);
    while (!condition.getAsBoolean()) {
      assertTrue(System.nanoTime() - end < 0, "it didn't happen");
      Thread.sleep(10);
    }
  }
}
