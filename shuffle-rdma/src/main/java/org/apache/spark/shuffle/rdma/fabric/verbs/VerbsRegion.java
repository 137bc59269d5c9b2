package org.apache.spark.shuffle.rdma.fabric.verbs;

import java.lang.foreign.MemorySegment;
import org.apache.spark.shuffle.rdma.fabric.Fabric.Access;
import org.apache.spark.shuffle.rdma.fabric.Region;
import org.sparkrdma.verbs.MemoryRegion;

/** A memory region in one of the fabric's protection domains. */
record VerbsRegion(VerbsFabric fabric, MemoryRegion region, Access access) implements Region {

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
    return access == Access.REMOTE_READ ? Integer.toUnsignedLong(region.remoteKey()) : 0;
  }

  @Override
  public void close() {
    region.close();
  }
}
