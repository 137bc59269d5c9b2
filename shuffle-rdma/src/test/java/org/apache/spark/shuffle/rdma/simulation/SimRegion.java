package org.apache.spark.shuffle.rdma.simulation;

import java.lang.foreign.MemorySegment;
import org.apache.spark.shuffle.rdma.fabric.Region;

/** Real memory behind a key of the simulated network. */
final class SimRegion implements Region {

  private final SimFabric fabric;
  private final MemorySegment memory;
  private final long key;

  SimRegion(SimFabric fabric, MemorySegment memory, long key) {
    this.fabric = fabric;
    this.memory = memory;
    this.key = key;
  }

  @Override
  public MemorySegment memory() {
    return memory;
  }

  @Override
  public long address() {
    return memory.address();
  }

  @Override
  public long length() {
    return memory.byteSize();
  }

  @Override
  public long key() {
    return key;
  }

  @Override
  public void close() {
    fabric.deregister(this);
  }
}
