package org.apache.spark.shuffle.rdma.fetch;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Objects;
import org.apache.spark.shuffle.rdma.fabric.Connection;
import org.apache.spark.shuffle.rdma.fabric.software.SoftwareFabric;
import org.apache.spark.shuffle.rdma.fabric.software.SoftwareOptions;
import org.apache.spark.shuffle.rdma.memory.BufferPool;
import org.apache.spark.shuffle.rdma.memory.IndexPage;
import org.apache.spark.shuffle.rdma.memory.IndexPage.BadPageException;
import org.apache.spark.shuffle.rdma.memory.OutputLocation;
import org.apache.spark.shuffle.rdma.memory.PooledBuffer;
import org.apache.spark.shuffle.rdma.metrics.Counters;

/**
 * A fuzz target: a page with any bytes changed is refused, or gives exactly the offsets in it,
 * which ascend within the data. Input: the partitions' number 2 bytes, then changes: which long of
 * the page 2 bytes, what to change in it 8 bytes.
 */
public final class IndexPageFuzz {

  private static final long MAGIC = 0x4547_4150_414d_4452L;
  private static final long GENERATION = 0x1234_5678_9abcL;
  private static final int MAX_PARTITIONS = 1_600;
  private static final int CHANGE_BYTES = 2 + 8;
  private static final BufferPool POOL = pool();

  private IndexPageFuzz() {}

  private static BufferPool pool() {
    try {
      SoftwareOptions options = new SoftwareOptions("127.0.0.1", false, false, 5000, null, "fuzz");
      return new BufferPool(SoftwareFabric.start(options), new Counters(), 1 << 20);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public static void fuzzerTestOneInput(byte[] input) {
    ByteBuffer in = ByteBuffer.wrap(input);
    if (in.remaining() < 2) {
      return;
    }
    int partitions = 1 + Short.toUnsignedInt(in.getShort()) % MAX_PARTITIONS;
    long[] page = page(partitions);
    OutputLocation location =
        new OutputLocation(7, 42, partitions, 4096, page[page.length - 1], 1, 8192, 2);
    while (in.remaining() >= CHANGE_BYTES) {
      page[Short.toUnsignedInt(in.getShort()) % page.length] ^= in.getLong();
    }
    PooledBuffer buffer = Objects.requireNonNull(POOL.take(8L * page.length));
    try {
      write(buffer, page);
      checkHeader(buffer, page, location);
      for (int window = 0; window < CachedPage.windowCount(partitions); window++) {
        checkWindow(buffer, page, location, window);
      }
    } finally {
      buffer.release();
    }
  }

  /** Six longs of header, then the offsets. */
  private static long[] page(int partitions) {
    long[] page = new long[6 + partitions + 1];
    page[0] = MAGIC;
    page[1] = GENERATION;
    page[2] = 42;
    page[3] = 7 | (long) partitions << 32;
    page[5] = 4096;
    for (int i = 0; i < partitions; i++) {
      page[7 + i] = page[6 + i] + (i * 37 % 1000) + 1;
    }
    page[4] = page[page.length - 1];
    return page;
  }

  private static void write(PooledBuffer buffer, long[] page) {
    ByteBuffer bytes = ByteBuffer.allocate(8 * page.length).order(ByteOrder.LITTLE_ENDIAN);
    bytes.asLongBuffer().put(page);
    Connection.Read place = buffer.read(0, 0, 0, bytes.capacity());
    MemorySegment.copy(
        MemorySegment.ofBuffer(bytes),
        0,
        place.local().memory(),
        place.localOffset(),
        bytes.capacity());
  }

  private static void checkHeader(PooledBuffer buffer, long[] page, OutputLocation location) {
    boolean another = page[0] != MAGIC || page[2] != 42 || (int) page[3] != 7;
    boolean bad =
        page[3] >>> 32 != location.partitions()
            || page[4] != location.dataLength()
            || page[5] != location.dataAddress();
    try {
      long generation = IndexPage.checkHeader(buffer, 0, location);
      long expected = another ? IndexPage.RETIRED : page[1];
      if (generation != expected || (bad && !another)) {
        throw new AssertionError("generation " + generation + " of " + Arrays.toString(page));
      }
    } catch (BadPageException e) {
      if (another || !bad) {
        throw new AssertionError("refused: " + Arrays.toString(page), e);
      }
    }
  }

  private static void checkWindow(
      PooledBuffer buffer, long[] page, OutputLocation location, int window) {
    int first = 6 + window * CachedPage.WINDOW;
    int last = Math.min(first + CachedPage.WINDOW, page.length - 1);
    boolean good = window > 0 || page[first] == 0;
    good &= last < page.length - 1 || page[last] == location.dataLength();
    for (int i = first; i <= last; i++) {
      good &= page[i] >= 0 && page[i] <= location.dataLength();
      good &= i == first || page[i] >= page[i - 1];
    }
    try {
      long[] offsets = CachedPage.parseWindow(buffer, 8L * first, location, window);
      if (!good || !Arrays.equals(offsets, Arrays.copyOfRange(page, first, last + 1))) {
        throw new AssertionError("window " + window + " of " + Arrays.toString(page));
      }
    } catch (BadPageException e) {
      if (good) {
        throw new AssertionError("window " + window + " refused", e);
      }
    }
  }
}
