package org.apache.spark.shuffle.rdma.fetch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;

import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.spark.shuffle.rdma.fabric.Connection;
import org.apache.spark.shuffle.rdma.fabric.Fabric;
import org.apache.spark.shuffle.rdma.fabric.software.SoftwareFabric;
import org.apache.spark.shuffle.rdma.fabric.software.SoftwareOptions;
import org.apache.spark.shuffle.rdma.metrics.Counters;
import org.junit.jupiter.api.Test;

final class PeersTest {

  private static final String PEER = "1";

  /** Or a list that hangs on a broken connection would wait for as long as the next one gets on. */
  @Test
  void anotherConnectionsSuccessIsNoProgress() throws Exception {
    AtomicLong clock = new AtomicLong();
    try (Fabric fabric =
            SoftwareFabric.start(
                new SoftwareOptions("127.0.0.1", true, false, 5000, null, "peers"));
        Peers peers = new Peers(fabric, new Counters(), 1000, clock::get, new Random(1))) {
      Connection first = peers.connection(PEER, fabric.address()).get();
      assertEquals(10, peers.progressSince(PEER, first, 10), "before any success");
      clock.set(50);
      peers.succeeded(PEER, first);
      assertEquals(50, peers.progressSince(PEER, first, 10));
      assertEquals(60, peers.progressSince(PEER, first, 60), "posted after it");

      first.close();
      Connection second = peers.connection(PEER, fabric.address()).get();
      assertNotSame(first, second);
      clock.set(90);
      peers.succeeded(PEER, second);
      assertEquals(90, peers.progressSince(PEER, second, 10));
      assertEquals(10, peers.progressSince(PEER, first, 10));
      assertEquals(10, peers.progressSince("another", second, 10));
    }
  }
}
