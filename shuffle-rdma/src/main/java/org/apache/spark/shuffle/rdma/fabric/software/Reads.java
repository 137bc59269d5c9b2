package org.apache.spark.shuffle.rdma.fabric.software;

import java.util.List;
import org.apache.spark.shuffle.rdma.fabric.Connection.Completion;
import org.apache.spark.shuffle.rdma.fabric.Connection.Read;
import org.apache.spark.shuffle.rdma.fabric.Fabric.Access;
import org.apache.spark.shuffle.rdma.fabric.FabricException;
import org.apache.spark.shuffle.rdma.fabric.FabricException.Kind;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What both kinds of connection do with a read list before and after it travels. */
final class Reads {

  private static final Logger LOG = LoggerFactory.getLogger(Reads.class);

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

  static void complete(Completion completion, @Nullable FabricException failure) {
    try {
      completion.complete(failure);
    } catch (RuntimeException e) {
      // It has been told, and must not end the thread that other lists depend on.
      LOG.error("A read completion threw", e);
    }
  }

  static FabricException closed(SoftwareAddress peer) {
    return new FabricException(
        Kind.CLOSED, "this side closed the connection to " + peer + " or its fabric");
  }
}
