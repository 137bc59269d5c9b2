package org.apache.spark.shuffle.rdma.fabric.software;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import org.apache.spark.shuffle.rdma.fabric.Child;
import org.apache.spark.shuffle.rdma.fabric.Connection;
import org.apache.spark.shuffle.rdma.fabric.Connection.Read;
import org.apache.spark.shuffle.rdma.fabric.Connection.Way;
import org.apache.spark.shuffle.rdma.fabric.Fabric;
import org.apache.spark.shuffle.rdma.fabric.FabricException;
import org.apache.spark.shuffle.rdma.fabric.FabricException.Kind;
import org.apache.spark.shuffle.rdma.fabric.FabricHarness;
import org.apache.spark.shuffle.rdma.fabric.Outcome;
import org.apache.spark.shuffle.rdma.fabric.Region;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What only a peer in another process can show: it stops, it dies, it may not be read. */
final class TwoProcessTest extends FabricHarness {

  private static final int BYTES = 1 << 20;

  @Override
  protected Fabric newFabric(String owner) throws FabricException {
    return SoftwareFabric.start(Options.of(owner, !owner.equals("tcp")));
  }

  @SuppressWarnings("ArrayRecordComponent") // Never compared.
  private record Peer(Child child, byte[] address, long regionAddress, long key)
      implements AutoCloseable {

    static Peer start() throws Exception {
      Child child = Child.start(List.of(), ChildPeer.class, Integer.toString(BYTES));
      String[] said = child.await("PEER");
      byte[] address = HexFormat.of().parseHex(said[1]);
      return new Peer(child, address, Long.parseLong(said[2]), Long.parseLong(said[3]));
    }

    List<Read> reads(Region to) {
      return List.of(new Read(regionAddress, key, to, 0, to.length()));
    }

    @Override
    public void close() {
      child.close();
    }
  }

  private static void assertRead(Region to) {
    for (long i = 0; i < to.length(); i++) {
      assertEquals(ChildPeer.at(i), to.memory().get(ValueLayout.JAVA_BYTE, i));
    }
  }

  @Test
  void aStoppedPeerIsReadDirectly() throws Exception {
    Fabric fabric = start("direct");
    Region to = local(fabric, BYTES);
    try (Peer peer = Peer.start()) {
      peer.child.stop();
      try (Connection connection = connect(fabric, peer.address)) {
        assertEquals(Way.DIRECT, connection.way());
        succeed(connection, peer.reads(to));
        assertRead(to);
      }
    }
  }

  @Test
  void aKilledPeerIsUnreachableDirectly() throws Exception {
    Fabric fabric = start("direct");
    Region to = local(fabric, BYTES);
    try (Peer peer = Peer.start();
        Connection connection = connect(fabric, peer.address)) {
      assertEquals(Way.DIRECT, connection.way());
      succeed(connection, peer.reads(to));
      peer.child.kill();
      assertEquals(Kind.PEER_UNREACHABLE, failure(connection, peer.reads(to)));
      assertFalse(connection.isOpen());
      assertEquals(Kind.CONNECT_REFUSED, connectFailure(fabric, peer.address));
    }
  }

  @Test
  void aStoppedPeerOverTcpNeitherBlocksNorLosesCompletions() throws Exception {
    Fabric fabric = start("tcp");
    Region to = local(fabric, BYTES);
    try (Peer peer = Peer.start()) {
      Connection connection = connect(fabric, peer.address);
      assertEquals(Way.TCP, connection.way());
      succeed(connection, peer.reads(to));
      assertRead(to);
      peer.child.stop();
      List<Outcome> outcomes = new ArrayList<>();
      for (int i = 0; i < Connection.MAX_OUTSTANDING_LISTS; i++) {
        outcomes.add(new Outcome().post(connection, peer.reads(to)));
      }
      assertEquals(Kind.QUEUE_FULL, failure(connection, peer.reads(to)));
      assertTrue(outcomes.stream().noneMatch(Outcome::isDone));
      connection.close();
      for (Outcome outcome : outcomes) {
        FabricException failure = outcome.await();
        assertEquals(Kind.CLOSED, assertFailed(failure).kind());
      }
      outcomes.forEach(Outcome::assertOnce);
    }
  }

  private static FabricException assertFailed(@Nullable FabricException failure) {
    assertNotNull(failure);
    return failure;
  }

  @Test
  void aConnectToAStoppedPeerOverTcpEndsAtItsDeadline() throws Exception {
    Fabric fabric =
        SoftwareFabric.start(new SoftwareOptions("127.0.0.1", false, false, 50, null, "hurried"));
    try (fabric;
        Peer peer = Peer.start()) {
      peer.child.stop();
      assertEquals(Kind.PEER_UNREACHABLE, connectFailure(fabric, peer.address));
    }
  }

  @Test
  void aKilledPeerBreaksTheTcpConnectionInMidRead() throws Exception {
    Fabric fabric = start("tcp");
    Region to = local(fabric, BYTES);
    try (Peer peer = Peer.start();
        Connection connection = connect(fabric, peer.address)) {
      List<Outcome> outcomes = new ArrayList<>();
      peer.child.stop();
      for (int i = 0; i < 1000; i++) {
        outcomes.add(new Outcome().post(connection, peer.reads(to)));
      }
      peer.child.kill();
      Set<Kind> ends = Set.of(Kind.CONNECTION_LOST, Kind.PEER_TERMINATED);
      for (Outcome outcome : outcomes) {
        assertTrue(ends.contains(assertFailed(outcome.await()).kind()));
      }
      outcomes.forEach(Outcome::assertOnce);
      assertFalse(connection.isOpen());
    }
  }

  @Test
  void aReaderWithoutTheRightGoesByTcpAndSaysSoOnce() throws Exception {
    assumeTrue(
        Files.isExecutable(Path.of("/usr/bin/setpriv"))
            && "root".equals(System.getProperty("user.name")),
        "taking a child's rights away needs root and setpriv");
    Fabric fabric = start("server");
    Region from = remote(fabric, BYTES);
    from.memory().fill((byte) 42);
    // Without the capabilities of its target a process may not read it, though both are root.
    List<String> prefix = List.of("/usr/bin/setpriv", "--bounding-set=-all", "--inh-caps=-all");
    String address = HexFormat.of().formatHex(fabric.address());
    String at = Long.toString(from.address());
    String key = Long.toString(from.key());
    try (Child child =
        Child.start(prefix, ChildReader.class, address, at, key, Integer.toString(BYTES))) {
      List<String> lines = child.lines();
      assertEquals(2, lines.stream().filter("READ TCP null 42"::equals).count(), lines::toString);
      assertEquals(1, lines.stream().filter(l -> l.contains("EPERM")).count(), lines::toString);
    }
  }
}
