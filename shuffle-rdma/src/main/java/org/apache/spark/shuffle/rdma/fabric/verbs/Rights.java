package org.apache.spark.shuffle.rdma.fabric.verbs;

import java.util.EnumSet;
import java.util.Set;
import org.apache.spark.shuffle.rdma.fabric.Fabric;
import org.sparkrdma.verbs.Access;
import org.sparkrdma.verbs.Device;

/** What regions and queue pairs allow: as little as reads need. */
final class Rights {

  private Rights() {}

  static Set<Access> ofRegion(Fabric.Access access, Device device) {
    if (access == Fabric.Access.REMOTE_READ) {
      return EnumSet.of(Access.REMOTE_READ);
    }
    // iWARP answers a READ with a message that writes into its destination.
    return device.readSinkNeedsRemoteWrite()
        ? EnumSet.of(Access.LOCAL_WRITE, Access.REMOTE_WRITE)
        : EnumSet.of(Access.LOCAL_WRITE);
  }

  /** Peers do nothing through the queue pair of who reads them, iWARP's answers excepted. */
  static Set<Access> ofReader(Device device) {
    return device.readSinkNeedsRemoteWrite()
        ? EnumSet.of(Access.REMOTE_WRITE)
        : EnumSet.noneOf(Access.class);
  }
}
