package org.apache.spark.shuffle.rdma.fabric.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class ReadSplitTest {

  @Test
  void splitsAtTheLargestMessagePastTheNumbersOf32Bits() {
    ReadSplit split = new ReadSplit(1L << 31, false);
    assertEquals(List.of(1L << 31, 1L << 31, 5L), lengths(split, 123, (1L << 32) + 5));
    assertEquals(List.of(4097L), lengths(split, 4095, 4097));
  }

  @Test
  void smallOnesDoNotCrossAPageWhereTheDeviceNeedsThat() {
    ReadSplit split = new ReadSplit(8192, true);
    assertEquals(List.of(2L, 30L), lengths(split, 4096 * 7 - 2, 32));
    assertEquals(List.of(32L), lengths(split, 4096 * 7 - 32, 32));
    assertEquals(List.of(32L), lengths(split, 4096 * 7, 32));
    assertEquals(List.of(1L, 1L), lengths(split, -1, 2));
    // Large ones may, but not with a small rest.
    assertEquals(List.of(100L), lengths(split, 4096 * 7 - 2, 100));
    assertEquals(List.of(8192L, 3L, 7L), lengths(split, 4096 * 7 - 3, 8202));
  }

  private static List<Long> lengths(ReadSplit split, long address, long bytes) {
    List<Long> lengths = new ArrayList<>();
    for (long done = 0; done < bytes; done += lengths.getLast()) {
      lengths.add(split.next(address + done, bytes - done));
    }
    return lengths;
  }
}
