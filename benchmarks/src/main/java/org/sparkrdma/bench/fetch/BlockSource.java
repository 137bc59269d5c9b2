package org.sparkrdma.bench.fetch;

import org.apache.spark.network.shuffle.BlockFetchingListener;

/** Where blocks come from: one of the sides that are compared. */
interface BlockSource {

  /** Fetches the blocks of a request; each comes to the listener, from any thread. */
  void fetch(FetchRequest request, BlockFetchingListener listener);

  /**
   * Blocks that came the way that this source is about, since its start; negative if every block
   * comes that way, since there's no other.
   */
  default long fetchedBlocks() {
    return -1;
  }

  /** For people: what was counted since the start. */
  default String counted() {
    return "";
  }
}
