package org.apache.spark.shuffle.rdma.memory;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * One map output that peers can read. Its owner, the registry, holds one reference; every local
 * user takes another, so nothing is unmapped under a reader.
 */
final class RegisteredOutput {

  private final OutputLocation location;
  private final RegionSlabs.Piece page;
  private final Data data;
  private final AtomicInteger references = new AtomicInteger(1);

  /** Where an output's bytes are. */
  interface Data {
    /** What they take of the budget. */
    long budgetBytes();

    /** How many of the mappings that a process may have they take. */
    int mappings();

    /** Deregisters and unmaps; what has worked isn't done again if it's called again. */
    void free();
  }

  RegisteredOutput(OutputLocation location, RegionSlabs.Piece page, Data data) {
    this.location = location;
    this.page = page;
    this.data = data;
  }

  OutputLocation location() {
    return location;
  }

  RegionSlabs.Piece page() {
    return page;
  }

  Data data() {
    return data;
  }

  /** Takes a reference; false if the output has been released already. */
  boolean retain() {
    return references.getAndUpdate(count -> count == 0 ? 0 : count + 1) > 0;
  }

  /** Gives a reference back; true for the last one, after which the data is to be freed. */
  boolean release() {
    int left = references.decrementAndGet();
    if (left < 0) {
      throw new IllegalStateException("released once too often: " + location);
    }
    return left == 0;
  }
}
