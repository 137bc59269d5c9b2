package org.sparkrdma.verbs;

import java.util.Set;

/** What may be done with a memory region, or through a queue pair: {@code ibv_access_flags}. */
public enum Access {
  /** The local device may write: receives, and the target buffers of RDMA READs. */
  LOCAL_WRITE(1),
  /**
   * Peers may write by RDMA WRITE; needs LOCAL_WRITE. iWARP wants it on the target of an RDMA READ
   * too.
   */
  REMOTE_WRITE(1 << 1),
  /** Peers may read by RDMA READ. */
  REMOTE_READ(1 << 2),
  /** Peers may use atomic operations; needs LOCAL_WRITE. */
  REMOTE_ATOMIC(1 << 3),
  /** Pages are not pinned but faulted in by the device; few devices can. */
  ON_DEMAND(1 << 6),
  /** The device may write out of order (faster on some machines); ignored where it can't. */
  RELAXED_ORDERING(1 << 20);

  static final int OPTIONAL_FLAGS = RELAXED_ORDERING.bit;

  private final int bit;

  Access(int bit) {
    this.bit = bit;
  }

  int bit() {
    return bit;
  }

  static int bits(Set<Access> access) {
    int bits = 0;
    for (Access one : access) {
      bits |= one.bit;
    }
    return bits;
  }
}
