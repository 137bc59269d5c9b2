package org.sparkrdma.bench.fetch;

import java.util.ArrayList;
import java.util.List;

/**
 * Blocks of one reducer that are asked for together.
 *
 * @param opensTask whether it's the first of its reducer
 * @param bytes of all its blocks
 */
record FetchRequest(boolean opensTask, List<BenchShuffle.Block> blocks, String[] ids, long bytes) {

  /** Spark's default of spark.reducer.maxSizeInFlight. */
  static final long MAX_IN_FLIGHT_BYTES = 48 << 20;

  /** Where Spark's fetcher iterator ends a request: a fifth of what may be in flight. */
  static final long TARGET_BYTES = MAX_IN_FLIGHT_BYTES / 5;

  /** Cuts a reducer's blocks into requests. */
  static final class Builder {
    private final List<FetchRequest> requests;
    private final List<BenchShuffle.Block> blocks = new ArrayList<>();
    private boolean opensTask = true;
    private long bytes;

    /** Adds to these. */
    Builder(List<FetchRequest> requests) {
      this.requests = requests;
    }

    void add(BenchShuffle.Block block) {
      blocks.add(block);
      bytes += block.bytes();
      if (bytes >= TARGET_BYTES) {
        end();
      }
    }

    /** Ends the last request. */
    void end() {
      if (blocks.isEmpty()) {
        return;
      }
      String[] ids = blocks.stream().map(BenchShuffle.Block::id).toArray(String[]::new);
      requests.add(new FetchRequest(opensTask, List.copyOf(blocks), ids, bytes));
      blocks.clear();
      bytes = 0;
      opensTask = false;
    }
  }
}
