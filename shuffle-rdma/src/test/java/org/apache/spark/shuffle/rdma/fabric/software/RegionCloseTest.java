package org.apache.spark.shuffle.rdma.fabric.software;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.spark.shuffle.rdma.fabric.Connection;
import org.apache.spark.shuffle.rdma.fabric.Fabric;
import org.apache.spark.shuffle.rdma.fabric.FabricException;
import org.apache.spark.shuffle.rdma.fabric.FabricException.Kind;
import org.apache.spark.shuffle.rdma.fabric.FabricHarness;
import org.apache.spark.shuffle.rdma.fabric.Region;
import org.junit.jupiter.api.Test;

/** Regions that close while peers read them: memory is freed the moment close() returns. */
final class RegionCloseTest extends FabricHarness {

  private static final int GENERATIONS = 300;
  private static final int BYTES = 1 << 18;

  @Override
  protected Fabric newFabric(String owner) throws FabricException {
    return SoftwareFabric.start(Options.of(owner, false));
  }

  private record Published(Region region, byte content) {}

  @Test
  void readersOfClosingRegionsGetTheDataOrAnError() throws Exception {
    Fabric server = start("server");
    Fabric client = start("client");
    AtomicReference<Published> current = new AtomicReference<>(publish(server, 0));
    AtomicBoolean done = new AtomicBoolean();
    concurrently(
        4,
        index -> {
          if (index == 0) {
            for (int i = 1; i <= GENERATIONS; i++) {
              Published old = Objects.requireNonNull(current.getAndSet(publish(server, i)));
              old.region.close();
            }
            done.set(true);
          } else {
            readUntil(done, client, server.address(), current);
          }
        });
  }

  @SuppressWarnings("MustBeClosedChecker") // Freeing closes it.
  private Published publish(Fabric server, int generation) throws FabricException {
    // Closed with its region: an arena refuses that while a responder is in the memory.
    Arena own = Arena.ofShared();
    MemorySegment memory = own.allocate(BYTES);
    byte content = (byte) (generation + 1);
    memory.fill(content);
    Region region = server.register(memory, Fabric.Access.REMOTE_READ);
    return new Published(new Freeing(region, own), content);
  }

  /** Frees the memory behind a region as soon as the region says that it's closed. */
  private record Freeing(Region region, Arena own) implements Region {
    @Override
    public MemorySegment memory() {
      return region.memory();
    }

    @Override
    public long address() {
      return region.address();
    }

    @Override
    public long length() {
      return region.length();
    }

    @Override
    public long key() {
      return region.key();
    }

    @Override
    public void close() {
      region.close();
      own.close();
    }
  }

  private void readUntil(
      AtomicBoolean done, Fabric client, byte[] address, AtomicReference<Published> current)
      throws Exception {
    Set<Kind> ends = Set.of(Kind.ACCESS_ERROR, Kind.CONNECTION_LOST, Kind.PEER_TERMINATED);
    Region to = local(client, BYTES);
    Connection connection = connect(client, address);
    while (!done.get()) {
      Published published = Objects.requireNonNull(current.get());
      Region from = published.region;
      FabricException failure = await(connection, List.of(read(from, to, 0, BYTES)));
      if (failure == null) {
        for (long at = 0; at < BYTES; at += 1000) {
          assertEquals(published.content, to.memory().get(ValueLayout.JAVA_BYTE, at));
        }
      } else {
        assertTrue(ends.contains(failure.kind()), failure::toString);
        assertFalse(connection.isOpen());
        connection.close();
        connection = connect(client, address);
      }
    }
    connection.close();
  }

  @Test
  void boundsAreCheckedWithoutOverflow() throws Exception {
    try (SoftwareFabric fabric = SoftwareFabric.start(Options.of("bounds", false));
        Region region = fabric.register(arena.allocate(100), Fabric.Access.REMOTE_READ)) {
      SoftwareRegion one = (SoftwareRegion) region;
      long at = region.address();
      assertTrue(one.contains(at, 100));
      assertTrue(one.contains(at + 99, 1));
      assertFalse(one.contains(at + 99, 2));
      assertFalse(one.contains(at + 100, 1));
      assertFalse(one.contains(at - 1, 1));
      assertFalse(one.contains(at, 101));
      assertFalse(one.contains(at, 0));
      assertFalse(one.contains(at, -1));
      assertFalse(one.contains(at + 50, Long.MAX_VALUE));
      assertFalse(one.contains(at + Long.MIN_VALUE, 1));
    }
  }
}
