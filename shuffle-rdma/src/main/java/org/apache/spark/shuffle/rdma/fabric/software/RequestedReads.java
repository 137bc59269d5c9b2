package org.apache.spark.shuffle.rdma.fabric.software;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.apache.spark.shuffle.rdma.fabric.Fabric.Access;
import org.jspecify.annotations.Nullable;

/**
 * One request, checked: either all of its regions are entered, or it is refused and none is. The
 * sizes in it are a stranger's until they have been compared with the region's.
 */
final class RequestedReads {

  private final @Nullable SoftwareRegion[] regions;
  private final long[] offsets;
  private final long[] lengths;
  private int status = Wire.OK;
  private int refused = -1;
  private long bytes;

  RequestedReads(RegionTable table, ByteBuffer in, int count) {
    regions = new @Nullable SoftwareRegion[count];
    offsets = new long[count];
    lengths = new long[count];
    for (int i = 0; i < count && status == Wire.OK; i++) {
      long address = in.getLong();
      SoftwareRegion region = table.enter(in.getLong());
      long length = in.getLong();
      regions[i] = region;
      if (region == null || region.access() != Access.REMOTE_READ) {
        refuse(i, Wire.REFUSED_KEY);
      } else if (!region.contains(address, length)) {
        refuse(i, Wire.REFUSED_BOUNDS);
      } else {
        offsets[i] = address - region.address();
        lengths[i] = length;
        bytes += length; // 512 x what a region may have, 2^47, is below 2^63.
      }
    }
  }

  private void refuse(int index, int why) {
    leave();
    status = why;
    refused = index;
    bytes = 0;
  }

  /** Sends all data, nothing after a refusal. */
  void send(SocketOutput out) throws IOException {
    for (int i = 0; i < regions.length; i++) {
      SoftwareRegion region = regions[i];
      if (region == null) {
        return;
      }
      out.send(region, offsets[i], lengths[i]);
      regions[i] = null;
      region.gate().leave();
    }
  }

  /** Leaves the regions that it is still in. Idempotent. */
  void leave() {
    for (int i = 0; i < regions.length; i++) {
      SoftwareRegion region = regions[i];
      if (region != null) {
        regions[i] = null;
        region.gate().leave();
      }
    }
  }

  /** Shared: read by whoever closes a region, to find the connection to close. */
  @Nullable SoftwareRegion[] regions() {
    return regions;
  }

  int status() {
    return status;
  }

  int refused() {
    return refused;
  }

  long bytes() {
    return bytes;
  }
}
