package org.apache.spark.shuffle.rdma.fabric;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.spark.shuffle.rdma.fabric.Connection.Read;
import org.apache.spark.shuffle.rdma.fabric.Connection.Way;
import org.apache.spark.shuffle.rdma.fabric.Fabric.Access;
import org.apache.spark.shuffle.rdma.fabric.FabricException.Kind;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What every fabric owes: each implementation has a subclass, and passes it. */
public abstract class FabricContract extends FabricHarness {

  protected Fabric server = startNothing();
  protected Fabric client = startNothing();

  /** How the fabric under test is expected to connect. */
  protected abstract Way way();

  /** Whether the target checks keys, bounds and permission; else only unmapped memory fails. */
  protected abstract boolean checksKeys();

  @SuppressWarnings("NullAway") // Set before each test.
  private static Fabric startNothing() {
    return null;
  }

  @BeforeEach
  void startBoth() throws FabricException {
    server = start("server");
    client = start("client");
  }

  private Connection connect() throws Exception {
    Connection connection = connect(client, server.address());
    assertEquals(way(), connection.way());
    assertTrue(connection.isOpen());
    return connection;
  }

  @Test
  void readsSmallAndUnalignedPieces() throws Exception {
    Region from = remote(server, 1 << 16);
    Region to = local(client, 1 << 16);
    fill(from.memory(), 1);
    Random random = seeded();
    Connection connection = connect();
    for (int round = 0; round < 500; round++) {
      long bytes = 1L + random.nextInt(100);
      long source = random.nextLong(from.length() - bytes + 1);
      long target = random.nextLong(to.length() - bytes + 1);
      to.memory().fill((byte) 0x55);
      succeed(
          connection, List.of(new Read(from.address() + source, from.key(), to, target, bytes)));
      assertSame(from.memory().asSlice(source, bytes), to.memory().asSlice(target, bytes));
      if (target > 0) {
        assertEquals(-1, to.memory().asSlice(0, target).mismatch(filled(target)));
      }
      long behind = to.length() - target - bytes;
      if (behind > 0) {
        assertEquals(
            -1, to.memory().asSlice(target + bytes).mismatch(filled(behind)), "written past it");
      }
    }
  }

  private MemorySegment filled(long bytes) {
    byte[] expected = new byte[(int) bytes];
    Arrays.fill(expected, (byte) 0x55);
    return MemorySegment.ofArray(expected);
  }

  @Test
  void readsListsOfManyEntriesOfAllSizes() throws Exception {
    Region from = remote(server, 32 << 20);
    Region to = local(client, 32 << 20);
    fill(from.memory(), 2);
    Random random = seeded();
    Connection connection = connect();
    for (int entries : new int[] {1, 64, 65, 512, 513, 1024, 1025, 5000}) {
      to.memory().fill((byte) 0);
      List<Read> reads = new ArrayList<>();
      long at = 0;
      for (int i = 0; i < entries; i++) {
        long bytes = 1L + (random.nextInt(50) == 0 ? random.nextInt(60_000) : random.nextInt(300));
        reads.add(read(from, to, at, bytes));
        at += bytes;
      }
      succeed(connection, reads);
      assertSame(from.memory().asSlice(0, at), to.memory().asSlice(0, at));
    }
  }

  @Test
  void readsHundredMebibytesInOneEntry() throws Exception {
    Region from = remote(server, (100 << 20) + 3);
    Region to = local(client, (100 << 20) + 3);
    fill(from.memory(), 3);
    succeed(connect(), List.of(read(from, to, 1, (100 << 20) + 1)));
    assertSame(from.memory().asSlice(1, (100 << 20) + 1), to.memory().asSlice(1, (100 << 20) + 1));
  }

  @Test
  void refusesWrongKeysBoundsAndPermissions() throws Exception {
    if (!checksKeys()) {
      return;
    }
    Region from = remote(server, 4096);
    Region writable = local(server, 4096);
    Region closed = remote(server, 4096);
    closed.close();
    Region to = local(client, 8192);
    long base = from.address();
    assertRefused(new Read(base, from.key() + 1, to, 0, 16));
    assertRefused(new Read(base, 0, to, 0, 16));
    assertRefused(new Read(base, from.key(), to, 0, 4097));
    assertRefused(new Read(base + 4081, from.key(), to, 0, 16));
    assertRefused(new Read(base - 1, from.key(), to, 0, 16));
    assertRefused(new Read(base + 4096, from.key(), to, 0, 1));
    assertRefused(new Read(-8, from.key(), to, 0, 16));
    assertRefused(new Read(Long.MIN_VALUE, from.key(), to, 0, 16));
    assertRefused(new Read(closed.address(), closed.key(), to, 0, 16));
    assertRefused(new Read(writable.address(), writable.key(), to, 0, 16));
    succeed(connect(), List.of(read(from, to, 0, 4096)));
  }

  /** Refused, alone and behind a good read, and nothing was written. */
  private void assertRefused(Read bad) throws Exception {
    Set<Kind> kinds = refusalKinds();
    try (Connection connection = connect()) {
      assertTrue(kinds.contains(failure(connection, List.of(bad))), bad::toString);
    }
    Region good = remote(server, 16);
    try (Connection connection = connect()) {
      Kind kind = failure(connection, List.of(read(good, local(client, 16), 0, 16), bad));
      assertTrue(kinds.contains(kind), bad::toString);
    }
  }

  /** How a refused read may end: some devices can't tell it from a flush. */
  protected Set<Kind> refusalKinds() {
    return Set.of(Kind.ACCESS_ERROR);
  }

  @Test
  void failsAndDoesNotCrashWhereNoMemoryIs() throws Exception {
    Region from = remote(server, 4096);
    Region to = local(client, 4096);
    for (long nowhere : new long[] {8, 4096, -8, Long.MIN_VALUE, Long.MAX_VALUE - 100}) {
      try (Connection connection = connect()) {
        Read bad = new Read(nowhere, from.key(), to, 0, 64);
        assertTrue(refusalKinds().contains(failure(connection, List.of(bad))));
        assertTrue(
            refusalKinds().contains(failure(connect(), List.of(read(from, to, 0, 4096), bad))));
      }
    }
    succeed(connect(), List.of(read(from, to, 0, 4096)));
  }

  @Test
  void completesEachListOnceWithManyThreadsOnOneConnection() throws Exception {
    Region from = remote(server, 1 << 20);
    fill(from.memory(), 5);
    Connection connection = connect();
    long seed = seed();
    concurrently(
        8,
        index -> {
          Random random = new Random(seed + index);
          for (int round = 0; round < 100; round++) {
            Region to = local(client, 1 << 16);
            List<Read> reads = new ArrayList<>();
            long source = random.nextInt(1 << 10);
            for (long at = 0; at < to.length(); ) {
              long bytes = Math.min(to.length() - at, 1L + random.nextInt(9000));
              reads.add(new Read(from.address() + source + at, from.key(), to, at, bytes));
              at += bytes;
            }
            Outcome outcome = new Outcome().post(connection, reads);
            assertNull(outcome.await());
            outcome.assertOnce();
            assertSame(from.memory().asSlice(source, to.length()), to.memory());
            to.close();
          }
        });
  }

  @Test
  void completesEveryListOnceWhenClosedUnderThem() throws Exception {
    Region from = remote(server, 4 << 20);
    Region to = local(client, 4 << 20);
    for (int round = 0; round < 20; round++) {
      Connection connection = connect();
      List<Outcome> outcomes = new ArrayList<>();
      Thread closer = Thread.ofPlatform().unstarted(connection::close);
      for (int i = 0; i < 100; i++) {
        outcomes.add(new Outcome().post(connection, List.of(read(from, to, 0, 1 << 20))));
        if (i == 50) {
          closer.start();
        }
      }
      closer.join();
      outcomes.add(new Outcome().post(connection, List.of(read(from, to, 0, 1))));
      boolean ended = false;
      for (Outcome outcome : outcomes) {
        FabricException failure = outcome.await();
        assertTrue(failure == null || failure.kind() == Kind.CLOSED, () -> "" + failure);
        assertFalse(ended && failure == null, "a list succeeded behind one that was closed");
        ended |= failure != null;
      }
      assertTrue(ended);
      assertFalse(connection.isOpen());
      outcomes.forEach(Outcome::assertOnce);
    }
  }

  @Test
  void closingTheFabricEndsItsConnectionsAndRefusesMore() throws Exception {
    Connection connection = connect();
    Region from = remote(server, 4096);
    Region to = local(client, 4096);
    List<Read> reads = List.of(read(from, to, 0, 64));
    succeed(connection, reads);
    client.close();
    client.close();
    assertEquals(Kind.CLOSED, failure(connection, reads));
    assertEquals(Kind.CLOSED, connectFailure(client, server.address()));
    assertEquals(Kind.CLOSED, assertThrows(FabricException.class, () -> local(client, 8)).kind());
    connection.close();
    connection.close();
    from.close();
    from.close();
  }

  @Test
  void noticesThatThePeerClosedItsFabric() throws Exception {
    Connection connection = connect();
    Region from = remote(server, 4096);
    Region to = local(client, 4096);
    List<Read> reads = List.of(read(from, to, 0, 64));
    succeed(connection, reads);
    server.close();
    Kind kind = failure(connection, reads);
    assertTrue(
        Set.of(Kind.PEER_TERMINATED, Kind.CONNECTION_LOST, Kind.PEER_UNREACHABLE).contains(kind),
        kind::toString);
    assertFalse(connection.isOpen());
    assertEquals(Kind.CONNECTION_LOST, failure(connection, reads));
    assertNotEquals(Kind.BAD_ADDRESS, connectFailure(client, server.address()));
  }

  @Test
  void refusesMalformedAddresses() throws Exception {
    byte[] good = server.address();
    assertTrue(good.length <= Fabric.MAX_ADDRESS_BYTES);
    assertEquals(Kind.BAD_ADDRESS, connectFailure(client, new byte[0]));
    for (int length = 1; length < good.length; length++) {
      assertEquals(Kind.BAD_ADDRESS, connectFailure(client, Arrays.copyOf(good, length)));
    }
    assertEquals(Kind.BAD_ADDRESS, connectFailure(client, Arrays.copyOf(good, good.length + 1)));
    byte[] version = good.clone();
    version[0]++;
    assertEquals(Kind.BAD_ADDRESS, connectFailure(client, version));
  }

  @Test
  void survivesRandomAddresses() throws Exception {
    Random random = seeded();
    for (int round = 0; round < 200; round++) {
      byte[] noise = new byte[random.nextInt(200)];
      random.nextBytes(noise);
      assertNotNull(connectFailure(client, noise));
    }
    connect().close();
  }

  @Test
  void everyStartHasAnotherAddress() {
    assertFalse(Arrays.equals(server.address(), client.address()));
    assertTrue(Arrays.equals(server.address(), server.address()));
  }

  @Test
  void connectsManyTimesAtOnce() throws Exception {
    Region from = remote(server, 4096);
    concurrently(
        16,
        index -> {
          for (int round = 0; round < 10; round++) {
            Region to = local(client, 4096);
            try (Connection connection =
                client.connect(server.address()).get(LIMIT_SECONDS, TimeUnit.SECONDS)) {
              succeed(connection, List.of(read(from, to, 0, 4096)));
            }
          }
        });
  }

  @Test
  void refusesWhatOnlyAMistakeCanBe() throws Exception {
    Region from = remote(server, 64);
    Region foreign = local(server, 64);
    Connection connection = connect();
    assertThrows(IllegalArgumentException.class, () -> connection.read(List.of(), f -> {}));
    assertThrows(
        IllegalArgumentException.class,
        () -> connection.read(List.of(read(from, foreign, 0, 8)), f -> {}));
    assertThrows(
        IllegalArgumentException.class,
        () -> server.register(MemorySegment.ofArray(new byte[8]), Access.REMOTE_READ));
    assertThrows(
        IllegalArgumentException.class,
        () -> server.register(arena.allocate(8).asSlice(0, 0), Access.REMOTE_READ));
    assertTrue(connection.isOpen());
  }

  protected static Random seeded() {
    return new Random(seed());
  }

  /** Printed, and taken from {@code -Dseed=...} to repeat a run. */
  protected static long seed() {
    long seed = Long.getLong("seed", System.nanoTime());
    System.out.println("seed " + seed);
    return seed;
  }
}
