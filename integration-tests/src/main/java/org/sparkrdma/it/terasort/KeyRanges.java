package org.sparkrdma.it.terasort;

import java.util.Arrays;
import java.util.List;
import org.apache.spark.Partitioner;

/** Cuts the key space into ranges that hold about as many records each, going by a sample. */
public final class KeyRanges extends Partitioner {

  private static final long serialVersionUID = 1;

  /** Where each range but the first starts, in order. */
  private final byte[][] starts;

  private final int ranges;

  /**
   * @param sample keys of the input, in any order; it's sorted here
   * @param ranges 1 or more
   */
  public KeyRanges(List<byte[]> sample, int ranges) {
    byte[][] sorted = sample.toArray(new byte[0][]);
    Arrays.sort(sorted, TeraRecords::compareKeys);
    starts = new byte[sorted.length == 0 ? 0 : ranges - 1][];
    for (int i = 0; i < starts.length; i++) {
      starts[i] = sorted[(int) ((i + 1L) * sorted.length / ranges)];
    }
    this.ranges = ranges;
  }

  @Override
  public int numPartitions() {
    return ranges;
  }

  @Override
  public int getPartition(Object key) {
    int found = Arrays.binarySearch(starts, (byte[]) key, TeraRecords::compareKeys);
    // A key that is a range's start belongs to that range; else the insertion point says how many
    // starts are below it.
    return found >= 0 ? found + 1 : -found - 1;
  }
}
