package org.apache.spark.shuffle.rdma.fabric.software;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutionException;
import org.apache.spark.shuffle.rdma.fabric.Connection;
import org.apache.spark.shuffle.rdma.fabric.Fabric;
import org.apache.spark.shuffle.rdma.fabric.FabricException;
import org.apache.spark.shuffle.rdma.fabric.FabricException.Kind;
import org.apache.spark.shuffle.rdma.fabric.FabricHarness;
import org.apache.spark.shuffle.rdma.fabric.Region;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Whatever comes in by the socket, the responder goes on serving those who do it right. */
final class HostileClientTest extends FabricHarness {

  private static final int MAX_CONNECTIONS = 4;

  @SuppressWarnings("NullAway.Init")
  private Fabric server;

  @SuppressWarnings("NullAway.Init")
  private Region region;

  @Override
  protected Fabric newFabric(String owner) throws FabricException {
    SoftwareOptions options = new SoftwareOptions("127.0.0.1", false, false, 2_000, null, owner);
    return SoftwareFabric.start(options, null, MAX_CONNECTIONS);
  }

  @BeforeEach
  void startServer() throws FabricException {
    server = start("server");
    region = remote(server, 4096);
    fill(region.memory(), 9);
  }

  @AfterEach
  void stillServes() throws Exception {
    Fabric client = start("client");
    Region to = local(client, 4096);
    // Ended connections free their places a moment after the client's side has closed.
    Connection connection = null;
    for (int tries = 0; connection == null; tries++) {
      try {
        connection = connect(client, server.address());
      } catch (ExecutionException e) {
        assertTrue(tries < 1000, e::toString);
        Thread.sleep(10);
      }
    }
    succeed(connection, List.of(read(region, to, 0, 4096)));
    assertSame(region.memory(), to.memory());
  }

  private RawReader raw() throws IOException {
    return new RawReader(server.address());
  }

  @Test
  void survivesHellosWithOneByteChanged() throws Exception {
    for (int at = 0; at < Wire.HELLO_BYTES; at++) {
      try (RawReader raw = raw()) {
        byte[] hello = raw.hello(raw.greeting(), null);
        hello[at] ^= (byte) 0x80;
        raw.write(hello);
      } catch (IOException ended) {
        // All places are taken for a moment, or it has ended the connection already.
        assertTrue(server.address().length > 0);
      }
    }
  }

  private RawReader openWhenThereIsRoom() throws Exception {
    for (int tries = 0; ; tries++) {
      RawReader raw = raw();
      try {
        return raw.open();
      } catch (IOException e) {
        raw.close();
        assertTrue(tries < 1000, e::toString);
        Thread.sleep(10);
      }
    }
  }

  @Test
  void endsConnectionsWithImpossibleCounts() throws Exception {
    for (int count : new int[] {0, -1, Integer.MAX_VALUE, Integer.MIN_VALUE, Wire.MAX_READS + 1}) {
      try (RawReader raw = openWhenThereIsRoom()) {
        raw.write(RawReader.request(Wire.MAGIC, count));
        assertEquals(0, raw.untilEnd());
      }
    }
    try (RawReader raw = openWhenThereIsRoom()) {
      raw.write(RawReader.request(Wire.MAGIC + 1, 1, region.address(), region.key(), 8));
      assertEquals(0, raw.untilEnd());
    }
  }

  @Test
  void refusesImpossibleLengthsWithoutAByteOfData() throws Exception {
    long at = region.address();
    long key = region.key();
    for (long bytes : new long[] {0, -1, Long.MAX_VALUE, Long.MIN_VALUE, 4097, 1L << 40}) {
      try (RawReader raw = openWhenThereIsRoom()) {
        raw.write(RawReader.request(Wire.MAGIC, 2, at, key, 8, at, key, bytes));
        ByteBuffer answer = ByteBuffer.wrap(raw.read(Wire.ANSWER_BYTES));
        assertEquals(Wire.MAGIC, answer.getInt());
        assertEquals(Wire.REFUSED_BOUNDS, answer.getInt());
        assertEquals(1, answer.getInt());
        assertEquals(0, answer.getLong());
        assertEquals(0, raw.untilEnd());
      }
    }
  }

  @Test
  void endsFramesThatStopInTheMiddle() throws Exception {
    byte[] request = RawReader.request(Wire.MAGIC, 1, region.address(), region.key(), 8);
    for (int length = 0; length < request.length; length++) {
      try (RawReader raw = openWhenThereIsRoom()) {
        raw.write(Arrays.copyOf(request, length));
      }
    }
  }

  @Test
  void doesNotWaitForSilentClientsForever() throws Exception {
    try (RawReader silent = raw();
        RawReader slow = raw()) {
      slow.greeting();
      slow.write(new byte[] {0x53, 0x52});
      silent.greeting();
      assertEquals(0, silent.untilEnd());
      assertEquals(0, slow.untilEnd());
    }
  }

  @Test
  void refusesConnectionsPastItsLimit() throws Exception {
    List<RawReader> places = new ArrayList<>();
    for (int i = 0; i < MAX_CONNECTIONS; i++) {
      places.add(raw().open());
    }
    assertEquals(Kind.CONNECT_REFUSED, connectFailure(start("late"), server.address()));
    for (RawReader place : places) {
      place.close();
    }
  }

  @Test
  void aClosingRegionDoesNotWaitForAClientThatDoesNotRead() throws Exception {
    try (Arena own = Arena.ofShared();
        RawReader raw = raw().open()) {
      MemorySegment memory = own.allocate(64 << 20);
      Region large = server.register(memory, Fabric.Access.REMOTE_READ);
      raw.write(RawReader.request(Wire.MAGIC, 1, large.address(), large.key(), large.length()));
      raw.read(Wire.ANSWER_BYTES);
      large.close();
      // Closing the arena behind this line throws if the responder still were in the memory.
    }
  }
}
