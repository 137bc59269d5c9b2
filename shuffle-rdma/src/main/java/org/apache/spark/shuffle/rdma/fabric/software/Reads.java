package org.apache.spark.shuffle.rdma.fabric.software;

import java.util.List;
import org.apache.spark.shuffle.rdma.fabric.Connection.Read;
import org.apache.spark.shuffle.rdma.fabric.Fabric.Access;
import org.apache.spark.shuffle.rdma.fabric.FabricException;
import org.apache.spark.shuffle.rdma.fabric.FabricException.Kind;

/** What both kinds of connection say of a read list or a peer. */
final class Reads {

  private Reads() {}

  /**
   * Refuses lists that could only be a caller's mistake.
   *
   * @throws IllegalArgumentException if the list is empty or a destination isn't an open
   *     LOCAL_WRITE region of this fabric
   */
  static void check(List<Read> reads, RegionTable regions) {
    if (reads.isEmpty()) {
      throw new IllegalArgumentException("a read list needs 1 read or more");
    }
    for (Read read : reads) {
      if (!(read.local() instanceof SoftwareRegion region)
          || !region.belongsTo(regions)
          || region.access() != Access.LOCAL_WRITE
          || (region.gate().isClosed() && !regions.isClosed())) {
        throw new IllegalArgumentException(
            "a destination must be an open LOCAL_WRITE region of the connection's fabric");
      }
    }
  }

  static FabricException closed(SoftwareAddress peer) {
    return new FabricException(
        Kind.CLOSED, "this side closed the connection to " + peer + " or its fabric");
  }
}
