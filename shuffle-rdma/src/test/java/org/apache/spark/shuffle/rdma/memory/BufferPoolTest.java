package org.apache.spark.shuffle.rdma.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.apache.spark.shuffle.rdma.fabric.Fabric;
import org.apache.spark.shuffle.rdma.fabric.software.SoftwareFabric;
import org.apache.spark.shuffle.rdma.fabric.software.SoftwareOptions;
import org.apache.spark.shuffle.rdma.metrics.Counter;
import org.apache.spark.shuffle.rdma.metrics.Counters;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class BufferPoolTest {

  private final Counters counters = new Counters();
  private Fabric fabric;

  @BeforeEach
  void start() throws IOException {
    fabric =
        SoftwareFabric.start(new SoftwareOptions("127.0.0.1", true, false, 5000, null, "owner"));
  }

  @AfterEach
  void stop() {
    fabric.close();
  }

  @Test
  void isBoundedAndSaysSoInsteadOfWaiting() {
    try (BufferPool pool = new BufferPool(fabric, counters, 3 << 20)) {
      assertEquals(2 << 20, pool.topClassBytes());
      assertNotNull(pool.take(2 << 20));
      assertNotNull(pool.take(1 << 20));
      assertNull(pool.take(1));
      assertEquals(1, counters.get(Counter.POOL_DRY));
      assertThrows(IllegalArgumentException.class, () -> pool.take((2 << 20) + 1));
      assertThrows(IllegalArgumentException.class, () -> pool.take(0));
    }
  }

  @Test
  void aBufferTakesWholePagesAndNoMore() {
    try (BufferPool pool = new BufferPool(fabric, counters, 1 << 20)) {
      List<PooledBuffer> buffers = new ArrayList<>();
      for (PooledBuffer next = pool.take(4097); next != null; next = pool.take(4097)) {
        buffers.add(next);
      }
      assertEquals(128, buffers.size());
      assertEquals(1 << 20, counters.get(Counter.POOL_BYTES_IN_USE));
      buffers.forEach(PooledBuffer::release);
      assertEquals(0, counters.get(Counter.POOL_BYTES_IN_USE));
      assertNotNull(pool.take(1 << 20));
    }
  }

  @Test
  void theLastReleaseGivesBackAndOneMoreIsAnError() {
    try (BufferPool pool = new BufferPool(fabric, counters, 4096)) {
      PooledBuffer buffer = Objects.requireNonNull(pool.take(10));
      buffer.retain();
      buffer.release();
      assertNull(pool.take(1));
      buffer.release();
      assertNotNull(pool.take(1));
      assertThrows(IllegalStateException.class, buffer::release);
      assertThrows(IllegalStateException.class, buffer::retain);
    }
  }

  @Test
  void slicesStayWithinTheirBuffer() {
    try (BufferPool pool = new BufferPool(fabric, counters, 1 << 20)) {
      PooledBuffer buffer = Objects.requireNonNull(pool.take(4096));
      assertThrows(IndexOutOfBoundsException.class, () -> buffer.slice(4090, 7));
      assertThrows(IndexOutOfBoundsException.class, () -> buffer.slice(-1, 1));
      assertThrows(IndexOutOfBoundsException.class, () -> buffer.read(0, 0, 0, 4097));
    }
  }

  @Test
  void slabsThatLieIdleAreTrimmedSaveOne() {
    try (BufferPool pool = new BufferPool(fabric, counters, 4 * BufferPool.SLAB_BYTES)) {
      List<PooledBuffer> buffers = new ArrayList<>();
      for (int slab = 0; slab < 3; slab++) {
        buffers.add(Objects.requireNonNull(pool.take(BufferPool.SLAB_BYTES)));
      }
      buffers.get(1).release();
      pool.trim();
      assertEquals(3 * BufferPool.SLAB_BYTES, counters.get(Counter.POOL_SLAB_BYTES), "just used");
      pool.trim();
      assertEquals(2 * BufferPool.SLAB_BYTES, counters.get(Counter.POOL_SLAB_BYTES));
      buffers.get(0).release();
      buffers.get(2).release();
      pool.trim();
      assertEquals(BufferPool.SLAB_BYTES, counters.get(Counter.POOL_SLAB_BYTES));
      // What was trimmed may be had again.
      for (int slab = 0; slab < 4; slab++) {
        assertNotNull(pool.take(BufferPool.SLAB_BYTES));
      }
      assertNull(pool.take(1));
    }
  }

  @Test
  void aLargeSlabIsMadeOfHugePagesWhereTheKernelHasThem() throws IOException {
    try (BufferPool pool = new BufferPool(fabric, counters, BufferPool.SLAB_BYTES)) {
      PooledBuffer buffer = Objects.requireNonNull(pool.take(BufferPool.SLAB_BYTES));
      long address = buffer.slice(0, 1).address();
      assertEquals(0, address % AnonymousMemory.HUGE_PAGE_BYTES);
      assertTrue(flagsOfMapping(address).contains(" hg "), "madvise(MADV_HUGEPAGE)");
    }
  }

  private static String flagsOfMapping(long address) throws IOException {
    boolean found = false;
    for (String line : Files.readAllLines(Path.of("/proc/self/smaps"))) {
      if (line.matches("[0-9a-f]+-[0-9a-f]+ .*")) {
        String[] range = line.split("[ -]", 3);
        found =
            Long.compareUnsigned(Long.parseUnsignedLong(range[0], 16), address) <= 0
                && Long.compareUnsigned(address, Long.parseUnsignedLong(range[1], 16)) < 0;
      } else if (found && line.startsWith("VmFlags:")) {
        return line + " ";
      }
    }
    throw new AssertionError("no mapping at " + Long.toHexString(address));
  }

  @Test
  void nothingIsGivenAfterClose() {
    BufferPool pool = new BufferPool(fabric, counters, 1 << 20);
    PooledBuffer buffer = Objects.requireNonNull(pool.take(10));
    pool.close();
    assertNull(pool.take(10));
    assertThrows(
        IllegalStateException.class, () -> new BufferSlice(buffer, 0, 10).inputStream().read());
    assertEquals(0, counters.get(Counter.POOL_SLAB_BYTES));
  }
}
