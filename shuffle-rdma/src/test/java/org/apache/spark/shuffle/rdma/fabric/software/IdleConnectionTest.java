package org.apache.spark.shuffle.rdma.fabric.software;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.spark.shuffle.rdma.fabric.Connection;
import org.apache.spark.shuffle.rdma.fabric.Fabric;
import org.apache.spark.shuffle.rdma.fabric.FabricException;
import org.apache.spark.shuffle.rdma.fabric.FabricException.Kind;
import org.apache.spark.shuffle.rdma.fabric.FabricHarness;
import org.apache.spark.shuffle.rdma.fabric.Region;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** TCP connections that nobody uses end: at the reader's side, and at a responder's by force. */
final class IdleConnectionTest extends FabricHarness {

  /** More than a busy machine takes from a connect to the first read. */
  private static final int IDLE_MILLIS = 3_000;

  @SuppressWarnings("NullAway.Init")
  private SoftwareFabric server;

  @SuppressWarnings("NullAway.Init")
  private Region region;

  @Override
  protected Fabric newFabric(String owner) throws FabricException {
    return SoftwareFabric.start(
        new SoftwareOptions("127.0.0.1", false, false, 20_000, null, IDLE_MILLIS, owner));
  }

  @BeforeEach
  void startServer() throws FabricException {
    server = (SoftwareFabric) start("server");
    region = remote(server, 4096);
    fill(region.memory(), 9);
  }

  private RawReader raw() throws IOException {
    return new RawReader(server.address());
  }

  @Test
  void doesNotKeepConnectionsThatAskForNothing() throws Exception {
    byte[] request = RawReader.request(Wire.MAGIC, 1, region.address(), region.key(), 8);
    try (RawReader idle = raw().open();
        RawReader slow = raw().open()) {
      idle.write(request);
      idle.read(Wire.ANSWER_BYTES + 8);
      slow.write(Arrays.copyOf(request, request.length - 1));
      assertEquals(0, idle.untilEnd());
      assertEquals(0, slow.untilEnd());
    }
  }

  @Test
  void doesNotKeepAConnectionWhoseReaderTakesNoAnswer() throws Exception {
    Region large = remote(server, 64 << 20);
    byte[] request = RawReader.request(Wire.MAGIC, 1, large.address(), large.key(), large.length());
    try (RawReader stuck = raw().open()) {
      stuck.write(request);
      stuck.read(Wire.ANSWER_BYTES);
      awaitConnections(0);
    }
  }

  private void awaitConnections(int count) throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_SECONDS);
    while (server.acceptedConnections() != count) {
      assertTrue(System.nanoTime() - end < 0, "connections stay open");
      Thread.sleep(10);
    }
  }

  @Test
  void aReaderClosesAnIdleConnectionAndCanMakeAnother() throws Exception {
    Fabric client = start("idler");
    Region to = local(client, 4096);
    Connection first = connect(client, server.address());
    succeed(first, List.of(read(region, to, 0, 4096)));
    awaitConnections(0);
    assertFalse(first.isOpen());
    assertEquals(Kind.CONNECTION_LOST, failure(first, List.of(read(region, to, 0, 8))));
    succeed(connect(client, server.address()), List.of(read(region, to, 0, 4096)));
  }
}
