package org.apache.spark.shuffle.rdma.memory;

/** One map output that peers can read, until the registry, its owner, frees it. */
record RegisteredOutput(OutputLocation location, RegionSlabs.Piece page, Data data) {

  /** Where an output's bytes are. */
  interface Data {
    /** What they take of the budget. */
    long budgetBytes();

    /** How many of the mappings that a process may have they take. */
    int mappings();

    /** Deregisters and unmaps; what has worked isn't done again if it's called again. */
    void free();
  }
}
