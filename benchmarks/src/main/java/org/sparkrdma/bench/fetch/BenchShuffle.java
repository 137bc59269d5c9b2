package org.sparkrdma.bench.fetch;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/**
 * A shuffle with as many maps as reducers. Lengths and bytes follow from the ids, so that whoever
 * reads knows what must come.
 *
 * @param sizes of its blocks
 * @param parts maps, and as many reducers
 */
record BenchShuffle(BlockSizes sizes, int parts) {

  /** One with about so many bytes. */
  static BenchShuffle of(BlockSizes sizes, long bytes) {
    return new BenchShuffle(
        sizes, Math.max(1, (int) Math.round(Math.sqrt((double) bytes / sizes.mean()))));
  }

  int id() {
    return sizes.ordinal();
  }

  /** Of one map output, by reducer. */
  long[] lengths(int map) {
    long[] lengths = new long[parts];
    Arrays.setAll(lengths, reducer -> sizes.bytes(map, reducer));
    return lengths;
  }

  /** What a block must hold. */
  byte[] content(int map, int reducer) {
    byte[] content = new byte[sizes.bytes(map, reducer)];
    new SplittableRandom((((long) id() << 24 | map) << 24) | reducer).nextBytes(content);
    return content;
  }

  /** The block's name, as Spark has it; the map's id is its number. */
  String blockId(int map, int reducer) {
    return "shuffle_" + id() + "_" + map + "_" + reducer;
  }

  /** Every block that isn't empty, reducer by reducer. */
  List<FetchRequest> requests() {
    List<FetchRequest> requests = new ArrayList<>();
    for (int reducer = 0; reducer < parts; reducer++) {
      FetchRequest.Builder builder = new FetchRequest.Builder(requests);
      for (int map = 0; map < parts; map++) {
        int bytes = sizes.bytes(map, reducer);
        if (bytes > 0) {
          builder.add(new Block(blockId(map, reducer), map, reducer, bytes));
        }
      }
      builder.end();
    }
    return requests;
  }

  /** A block that isn't empty. */
  record Block(String id, int map, int reducer, int bytes) {}
}
