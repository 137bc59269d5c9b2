package org.apache.spark.shuffle.rdma.fetch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class BlockRangeTest {

  @Test
  void readsSingleAndBatchedBlocks() {
    BlockRange single = Objects.requireNonNull(BlockRange.parse("shuffle_3_5000000000_17"));
    assertEquals(3, single.shuffleId());
    assertEquals(5_000_000_000L, single.mapId());
    assertEquals(17, single.first());
    assertEquals(18, single.end());
    BlockRange batch = Objects.requireNonNull(BlockRange.parse("shuffle_0_1_2_9"));
    assertEquals(2, batch.first());
    assertEquals(9, batch.end());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "shuffle_",
        "shuffle_1",
        "shuffle_1_2",
        "shuffle_1_2_3_4_5",
        "shuffle_1_2_x",
        "shuffle_1_2_-3",
        "shuffle_1_2_5_5",
        "shuffle_1_2_5_4",
        "shuffle_1_2_",
        "shuffle_-1_2_3",
        "shuffle_1_2_3.data",
        "shuffleChunk_0_0_1_2",
        "shuffleMerged_0_0_1",
        "rdd_1_2",
        "shuffle_99999999999_2_3"
      })
  void leavesEverythingElseToSpark(String blockId) {
    assertNull(BlockRange.parse(blockId));
  }
}
