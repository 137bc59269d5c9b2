package org.apache.spark.shuffle.rdma.memory;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** One map output that peers can read, until the registry, its owner, frees it. */
record RegisteredOutput(OutputLocation location, RegionSlabs.Piece page, Data data) {

  /** Where an output's bytes are. */
  interface Data {
    /** What they take of the budget. */
    long budgetBytes();

    /** How many of the mappings that a process may have they take. */
    int mappings();

    /**
     * Keeps the file mapped for a local user, who calls {@link #letGo} when done.
     *
     * @return the whole file, read only; null if it isn't mapped, or not any more
     */
    @Nullable MemorySegment hold();

    /** Ends a {@link #hold} that gave a segment: once for each. */
    void letGo();

    /**
     * Deregisters, and unmaps as soon as no local user holds it; what has worked isn't done again
     * if it's called again.
     */
    void free();
  }
}
