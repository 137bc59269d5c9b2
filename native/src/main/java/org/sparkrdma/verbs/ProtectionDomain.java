package org.sparkrdma.verbs;

import java.lang.foreign.MemorySegment;
import java.util.Set;
import org.sparkrdma.verbs.ffi.ibv_pd;

/**
 * What a queue pair may reach: the regions of its own domain, and no others. A key of another
 * domain is refused by the device, even when a peer guesses it. May be used by any thread.
 */
public final class ProtectionDomain extends RdmaResource {
  private final Device device;
  private final MemorySegment pd;

  ProtectionDomain(Device device) {
    super(device);
    this.device = device;
    device.enter();
    try {
      pd = IbvCalls.allocPd(device.context());
      LayoutCheck.require(ibv_pd.context(pd).equals(device.context()), "ibv_pd");
      opened();
    } finally {
      device.leave();
    }
  }

  public Device device() {
    return device;
  }

  MemorySegment pd() {
    return pd;
  }

  /**
   * Pins a segment's pages and lets the device use them.
   *
   * @param memory native memory of any size from 1 byte: a region can be larger than 2 GiB
   * @param access what the device may do for whom; reading locally is always allowed
   * @throws VerbException ENOMEM past the locked-memory limit, EFAULT where the mapping can't be
   *     pinned for this access, EINVAL for a combination that the device does not have
   */
  public MemoryRegion register(MemorySegment memory, Set<Access> access) {
    return new MemoryRegion(this, memory, access);
  }

  /**
   * Makes an RC queue pair in state RESET, to be connected by {@link QueuePair#connect}. For
   * connections by address see {@link ConnectionManager}.
   */
  public QueuePair createQueuePair(QueuePairOptions options) {
    return QueuePair.create(this, options);
  }

  @Override
  void free() {
    IbvCalls.deallocPd(pd);
  }

  @Override
  public String toString() {
    return "protection domain on " + device.name();
  }
}
