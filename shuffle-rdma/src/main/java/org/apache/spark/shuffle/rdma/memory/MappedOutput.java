package org.apache.spark.shuffle.rdma.memory;

import java.util.concurrent.atomic.AtomicInteger;
import org.apache.spark.shuffle.rdma.fabric.Region;

/**
 * One map output, mapped and registered. Its owner, the registry, holds one reference; every local
 * user takes another, so nothing is unmapped under a reader.
 */
final class MappedOutput {

  private final OutputLocation location;
  private final Region region;
  private final PageSlabs.Page page;
  private final MappingGroup group;
  private final Runnable onReleased;
  private final AtomicInteger references = new AtomicInteger(1);

  /**
   * Takes everything over: the last {@link #release()} closes the region, leaves the group and then
   * runs onReleased.
   */
  MappedOutput(
      OutputLocation location,
      Region region,
      PageSlabs.Page page,
      MappingGroup group,
      Runnable onReleased) {
    this.location = location;
    this.region = region;
    this.page = page;
    this.group = group;
    this.onReleased = onReleased;
  }

  OutputLocation location() {
    return location;
  }

  PageSlabs.Page page() {
    return page;
  }

  /** Takes a reference; false if the output has been released already. */
  boolean retain() {
    return references.getAndUpdate(count -> count == 0 ? 0 : count + 1) > 0;
  }

  /** Gives a reference back; the last one deregisters and leaves the mapping to its group. */
  void release() {
    int left = references.decrementAndGet();
    if (left < 0) {
      throw new IllegalStateException("released once too often: " + location);
    }
    if (left == 0) {
      region.close();
      group.leave();
      onReleased.run();
    }
  }
}
