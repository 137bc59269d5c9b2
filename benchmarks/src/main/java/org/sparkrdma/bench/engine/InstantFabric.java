package org.sparkrdma.bench.engine;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.spark.shuffle.rdma.fabric.Connection;
import org.apache.spark.shuffle.rdma.fabric.Fabric;
import org.apache.spark.shuffle.rdma.fabric.Region;

/**
 * A fabric within one process that completes at once. It copies index pages and generations, of
 * which the reader wants to see what it expects, but no blocks: reads of more than a page's window
 * are only counted as done.
 */
public final class InstantFabric implements Fabric {

  /** The largest read that is copied: a window of an index page. */
  private static final int MAX_COPIED_BYTES = 4096;

  private static final MemorySegment MEMORY = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

  private final AtomicLong keys = new AtomicLong();
  private final AtomicLong connects = new AtomicLong();

  @Override
  public String name() {
    return "instant";
  }

  @Override
  public byte[] address() {
    return new byte[] {1};
  }

  @Override
  public Place place() {
    return new Place("none", "nowhere");
  }

  @Override
  public boolean pins() {
    return false;
  }

  @Override
  public Region register(MemorySegment memory, Access access) {
    return new Registered(memory, keys.incrementAndGet());
  }

  /** How often somebody has connected. */
  public long connects() {
    return connects.get();
  }

  @Override
  public CompletableFuture<Connection> connect(byte[] address) {
    connects.incrementAndGet();
    return CompletableFuture.completedFuture(new Instant());
  }

  @Override
  public void close() {
    // Nothing is open.
  }

  private record Registered(MemorySegment memory, long key) implements Region {
    @Override
    public long address() {
      return memory.address();
    }

    @Override
    public long length() {
      return memory.byteSize();
    }

    @Override
    public void close() {
      // Nothing is registered with anybody.
    }
  }

  private static final class Instant implements Connection {
    private volatile boolean open = true;

    @Override
    public Way way() {
      return Way.VERBS;
    }

    @Override
    public boolean isOpen() {
      return open;
    }

    @Override
    public void read(List<Read> reads, Completion completion) {
      for (int i = 0; i < reads.size(); i++) {
        Read read = reads.get(i);
        if (read.lengthBytes() <= MAX_COPIED_BYTES) {
          MemorySegment.copy(
              MEMORY,
              read.remoteAddress(),
              read.local().memory(),
              read.localOffset(),
              read.lengthBytes());
        }
      }
      completion.complete(null);
    }

    @Override
    public void close() {
      open = false;
    }
  }
}
