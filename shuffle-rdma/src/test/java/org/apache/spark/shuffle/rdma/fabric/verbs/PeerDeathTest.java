package org.apache.spark.shuffle.rdma.fabric.verbs;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import org.apache.spark.shuffle.rdma.fabric.Child;
import org.apache.spark.shuffle.rdma.fabric.Connection;
import org.apache.spark.shuffle.rdma.fabric.Connection.Read;
import org.apache.spark.shuffle.rdma.fabric.Fabric;
import org.apache.spark.shuffle.rdma.fabric.FabricException;
import org.apache.spark.shuffle.rdma.fabric.FabricException.Kind;
import org.apache.spark.shuffle.rdma.fabric.FabricHarness;
import org.apache.spark.shuffle.rdma.fabric.Outcome;
import org.apache.spark.shuffle.rdma.fabric.Region;
import org.junit.jupiter.api.Test;

/** A peer's process that is killed while it is read. */
@DeviceTest
final class PeerDeathTest extends FabricHarness {

  private static final int BYTES = 4 << 20;

  /** Far more than are done when the first of them is. */
  private static final int LISTS = 500;

  @Override
  protected Fabric newFabric(String owner) throws FabricException {
    return Verbs.start(owner);
  }

  @Test
  void endsEachListOnceAndTheProcessGoesOn() throws Exception {
    Fabric client = start("client");
    Region to = local(client, BYTES);
    try (Child child = Child.start(List.of(), VerbsPeer.class, Integer.toString(BYTES))) {
      Peer peer = Peer.of(child);
      Connection connection = connect(client, peer.address);
      List<Outcome> outcomes = new ArrayList<>();
      for (int i = 0; i < LISTS; i++) {
        outcomes.add(new Outcome().post(connection, List.of(peer.readAll(to))));
      }
      outcomes.getFirst().await();
      child.kill();
      FabricException first = null;
      for (Outcome outcome : outcomes) {
        FabricException failure = outcome.await();
        assertFalse(first != null && failure == null, "a list succeeded behind a failed one");
        first = first == null ? failure : first;
      }
      Set<Kind> kinds = Set.of(Kind.PEER_TERMINATED, Kind.RETRY_EXCEEDED, Kind.CONNECTION_LOST);
      assertNotNull(first, "all lists were done before the peer was killed");
      assertTrue(kinds.contains(first.kind()), first::toString);
      outcomes.forEach(Outcome::assertOnce);
      assertFalse(connection.isOpen());
    }
    try (Child child = Child.start(List.of(), VerbsPeer.class, Integer.toString(BYTES))) {
      Peer peer = Peer.of(child);
      succeed(connect(client, peer.address), List.of(peer.readAll(to)));
    }
  }

  /** What a child said of itself. */
  @SuppressWarnings("ArrayRecordComponent") // Compared by nobody.
  private record Peer(byte[] address, long remoteAddress, long key) {
    static Peer of(Child child) throws Exception {
      String[] words = child.await("PEER");
      return new Peer(
          HexFormat.of().parseHex(words[1]), Long.parseLong(words[2]), Long.parseLong(words[3]));
    }

    Read readAll(Region to) {
      return new Read(remoteAddress, key, to, 0, BYTES);
    }
  }
}
