package org.apache.spark.shuffle.rdma.fabric.software;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.spark.shuffle.rdma.fabric.Connection;
import org.apache.spark.shuffle.rdma.fabric.Connection.Read;
import org.apache.spark.shuffle.rdma.fabric.Connection.Way;
import org.apache.spark.shuffle.rdma.fabric.Fabric;
import org.apache.spark.shuffle.rdma.fabric.FabricException;
import org.apache.spark.shuffle.rdma.fabric.FabricException.Kind;
import org.apache.spark.shuffle.rdma.fabric.FabricHarness;
import org.apache.spark.shuffle.rdma.fabric.Nonce;
import org.apache.spark.shuffle.rdma.fabric.Region;
import org.junit.jupiter.api.Test;

/** What the direct way makes of each result that the kernel may give. */
final class ProcessMemoryTest extends FabricHarness {

  private final ProcessMemory real = new Libc();
  private volatile ProcessMemory behaviour = real;

  @Override
  protected Fabric newFabric(String owner) throws FabricException {
    return SoftwareFabric.start(
        Options.of(owner, true), (pid, area, entries) -> behaviour.read(pid, area, entries), 16);
  }

  private Connection connectTo(Fabric server) throws Exception {
    return connect(start("client" + System.nanoTime()), server.address());
  }

  @Test
  void goesByTcpWhereTheKernelRefuses() throws Exception {
    Fabric server = start("server");
    for (int errno : new int[] {Libc.EPERM, Libc.ESRCH, Libc.EFAULT, Libc.ENOSYS}) {
      behaviour = (pid, area, entries) -> -errno;
      try (Connection connection = connectTo(server)) {
        assertEquals(Way.TCP, connection.way());
      }
    }
  }

  @Test
  void goesByTcpWhereAnotherProcessHasThePid() throws Exception {
    Fabric server = start("server");
    behaviour = (pid, area, entries) -> Nonce.BYTES; // Leaves the nonce zero.
    try (Connection connection = connectTo(server)) {
      assertEquals(Way.TCP, connection.way());
    }
  }

  @Test
  void goesOnAfterShortCountsAnywhere() throws Exception {
    long seed = Long.getLong("seed", System.nanoTime());
    System.out.println("seed " + seed);
    Random random = new Random(seed);
    Fabric server = start("server");
    Fabric client = start("client");
    Region from = remote(server, 1 << 16);
    Region to = local(client, 1 << 16);
    fill(from.memory(), seed);
    Connection connection = connect(client, server.address());
    behaviour = (pid, area, entries) -> shorten(random, pid, area, entries);
    for (int round = 0; round < 100; round++) {
      to.memory().fill((byte) 0);
      List<Read> reads = new ArrayList<>();
      for (long at = 0; at < to.length(); ) {
        long bytes = Math.min(to.length() - at, 1L + random.nextInt(2000));
        reads.add(read(from, to, at, bytes));
        at += bytes;
      }
      succeed(connection, reads);
      assertSame(from.memory(), to.memory());
    }
  }

  /** Copies some of the entries, and the last of these in part. */
  private long shorten(Random random, int pid, IovecArea area, int entries) {
    int some = 1 + random.nextInt(entries);
    long last = area.bytes(some - 1);
    area.shorten(some - 1, 1 + random.nextLong(last));
    return real.read(pid, area, some);
  }

  private record Failure(ProcessMemory behaviour, Kind kind, boolean breaks) {}

  @Test
  void tellsMissingMemoryFromAMissingPeer() throws Exception {
    Fabric server = start("server");
    List<Failure> failures =
        List.of(
            new Failure((pid, area, entries) -> -Libc.ESRCH, Kind.PEER_UNREACHABLE, true),
            new Failure((pid, area, entries) -> -Libc.EPERM, Kind.PEER_UNREACHABLE, true),
            new Failure((pid, area, entries) -> -Libc.ENOMEM, Kind.CONNECTION_LOST, true),
            new Failure((pid, area, entries) -> -Libc.EFAULT, Kind.PEER_TERMINATED, true),
            new Failure(this::onlyTheNonce, Kind.ACCESS_ERROR, false),
            new Failure(this::nothingOfTheNonce, Kind.PEER_TERMINATED, true));
    Region from = remote(server, 64);
    for (Failure failure : failures) {
      behaviour = real;
      Fabric client = start("client" + failures.indexOf(failure));
      Connection connection = connect(client, server.address());
      assertEquals(Way.DIRECT, connection.way());
      behaviour = failure.behaviour;
      List<Read> reads = List.of(read(from, local(client, 64), 0, 64));
      assertEquals(failure.kind, failure(connection, reads));
      assertEquals(!failure.breaks, connection.isOpen());
      if (failure.breaks) {
        assertEquals(Kind.CONNECTION_LOST, failure(connection, reads));
      }
    }
  }

  /** No progress with data, while the peer is there. */
  private long onlyTheNonce(int pid, IovecArea area, int entries) {
    return entries == 1 ? real.read(pid, area, 1) : 0;
  }

  /** All data comes, but it's another process's by now. */
  private long nothingOfTheNonce(int pid, IovecArea area, int entries) {
    long copied = real.read(pid, area, entries);
    IovecArea.writeNonce(area.nonceMemory(), Nonce.ZERO);
    return copied;
  }

  @Test
  void closingStopsALongListBetweenTwoCalls() throws Exception {
    Fabric server = start("server");
    Fabric client = start("client");
    Region from = remote(server, 1 << 16);
    Region to = local(client, 1 << 16);
    Connection connection = connect(client, server.address());
    behaviour =
        (pid, area, entries) -> {
          connection.close();
          return real.read(pid, area, 1);
        };
    List<Read> reads = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      reads.add(read(from, to, i, 8));
    }
    assertEquals(Kind.CLOSED, failure(connection, reads));
    assertFalse(connection.isOpen());
  }

  @Test
  void manyVirtualThreadsMayReadAtOnce() throws Exception {
    Fabric server = start("server");
    Fabric client = start("client");
    Region from = remote(server, 1 << 16);
    fill(from.memory(), 6);
    Connection connection = connect(client, server.address());
    try (var pool = Executors.newVirtualThreadPerTaskExecutor()) {
      var futures = new ArrayList<Future<Boolean>>();
      for (int i = 0; i < 500; i++) {
        futures.add(
            pool.submit(
                () -> {
                  Region to = local(client, 1 << 12);
                  succeed(connection, List.of(read(from, to, 0, 1 << 12)));
                  return from.memory().asSlice(0, 1 << 12).mismatch(to.memory()) == -1;
                }));
      }
      for (var future : futures) {
        assertTrue(future.get());
      }
    }
  }
}
