package org.sparkrdma.verbs;

import java.lang.foreign.MemorySegment;
import java.util.Set;
import org.sparkrdma.verbs.ffi.ibv_mr;

/**
 * Memory that the device may use. Its pages are pinned, and count against the locked-memory limit,
 * until it is closed.
 *
 * <p>The segment stays the caller's. It must stay mapped until the region is closed: the device
 * keeps the pages, but after an unmapping they are no longer the ones that the process sees. Close
 * a region only when no posted request uses it.
 */
public final class MemoryRegion extends RdmaResource {
  private final MemorySegment memory;
  private final MemorySegment mr;
  private final int localKey;
  private final int remoteKey;
  private final Set<Access> access;

  MemoryRegion(ProtectionDomain domain, MemorySegment memory, Set<Access> access) {
    super(domain);
    if (!memory.isNative()) {
      throw new IllegalArgumentException(
          "only native memory can be registered, not the Java heap's");
    }
    if (memory.byteSize() == 0) {
      throw new IllegalArgumentException("an empty segment can't be registered");
    }
    this.memory = memory;
    this.access = Set.copyOf(access);
    domain.enter();
    try {
      mr = register(domain, memory, this.access);
      LayoutCheck.require(
          ibv_mr.addr(mr).address() == memory.address()
              && ibv_mr.length(mr) == memory.byteSize()
              && ibv_mr.pd(mr).equals(domain.pd()),
          "ibv_mr");
      localKey = ibv_mr.lkey(mr);
      remoteKey = ibv_mr.rkey(mr);
      opened();
    } finally {
      domain.leave();
    }
  }

  private static MemorySegment register(
      ProtectionDomain domain, MemorySegment memory, Set<Access> access) {
    int bits = Access.bits(access);
    String detail = memory.byteSize() + " bytes, access " + access;
    try {
      return IbvCalls.regMr(domain.pd(), memory, bits, detail);
    } catch (VerbException e) {
      if (e.errno() == Errno.ENOMEM) {
        throw new VerbException(e.verb(), e.errno(), detail + ", " + LockedMemory.describe());
      }
      if (e.errno() == Errno.EFAULT) {
        throw new VerbException(
            e.verb(), e.errno(), detail + "; a file mapping may not allow pinning for this access");
      }
      throw e;
    }
  }

  /** The segment that was registered. */
  public MemorySegment memory() {
    return memory;
  }

  /** Address of the first byte, as peers name it. */
  public long address() {
    return memory.address();
  }

  /** Length in bytes. */
  public long length() {
    return memory.byteSize();
  }

  /** Key for requests posted here; {@link WorkRequestList} puts it in by itself. */
  public int localKey() {
    return localKey;
  }

  /** Key that a peer must name to reach this region. */
  public int remoteKey() {
    return remoteKey;
  }

  public Set<Access> access() {
    return access;
  }

  @Override
  void free() {
    IbvCalls.deregMr(mr, length() + " bytes");
  }

  @Override
  public String toString() {
    return "memory region of " + length() + " bytes, access " + access;
  }
}
