package org.apache.spark.shuffle.rdma.memory;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.spark.shuffle.rdma.fabric.Connection;
import org.apache.spark.shuffle.rdma.fabric.Fabric;
import org.apache.spark.shuffle.rdma.fabric.FabricException;
import org.apache.spark.shuffle.rdma.fabric.Region;

/**
 * A real fabric whose regions can't be closed while it's told so, as when a peer's read doesn't
 * end.
 */
final class StuckFabric implements Fabric {

  private final Fabric real;
  final AtomicInteger refusals = new AtomicInteger();
  volatile boolean stuck;

  /** Run once a region of this many bytes has been made. */
  volatile Runnable onRegistered = () -> {};

  volatile long onBytes;

  StuckFabric(Fabric real) {
    this.real = real;
  }

  @Override
  public String name() {
    return real.name();
  }

  @Override
  public Place place() {
    return real.place();
  }

  @Override
  public byte[] address() {
    return real.address();
  }

  @Override
  public boolean pins() {
    return real.pins();
  }

  @Override
  public Region register(MemorySegment memory, Access access) throws FabricException {
    Region region = new StuckRegion(real.register(memory, access));
    if (memory.byteSize() == onBytes) {
      onRegistered.run();
    }
    return region;
  }

  @Override
  public CompletableFuture<Connection> connect(byte[] address) {
    return real.connect(address);
  }

  @Override
  public void close() {
    real.close();
  }

  private final class StuckRegion implements Region {
    private final Region region;

    StuckRegion(Region region) {
      this.region = region;
    }

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
      if (stuck) {
        refusals.incrementAndGet();
        throw new IllegalStateException("stuck");
      }
      region.close();
    }
  }
}
