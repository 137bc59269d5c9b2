package org.apache.spark.shuffle.rdma.fabric.software;

import java.lang.foreign.MemorySegment;
import org.apache.spark.shuffle.rdma.fabric.Fabric.Access;
import org.apache.spark.shuffle.rdma.fabric.Region;

/** A registered region. Responder threads are inside while they touch its memory. */
final class SoftwareRegion implements Region {

  private final RegionTable table;
  private final MemorySegment memory;
  private final Access access;
  private final long key;
  private final Gate gate = new Gate();

  SoftwareRegion(RegionTable table, MemorySegment memory, Access access, long key) {
    this.table = table;
    this.memory = memory;
    this.access = access;
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

  Access access() {
    return access;
  }

  boolean belongsTo(RegionTable other) {
    return table == other;
  }

  Gate gate() {
    return gate;
  }

  /**
   * Whether {@code bytes} bytes, 1 or more, from a virtual address on lie in this region; any
   * values of a hostile peer are safe.
   */
  boolean contains(long address, long bytes) {
    // Unsigned, an address below the first byte has a huge offset; no sum can overflow.
    return bytes >= 1
        && bytes <= length()
        && Long.compareUnsigned(address - address(), length() - bytes) <= 0;
  }

  /**
   * {@inheritDoc}
   *
   * <p>Returns when no responder touches the memory any more. Responders that a slow peer holds up
   * get {@link RegionTable#GRACE_MILLIS}, then their connections are closed.
   *
   * @throws IllegalStateException if a responder is in the memory all the same: don't free it
   */
  @Override
  public void close() {
    table.close(this);
  }
}
