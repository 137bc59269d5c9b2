package org.apache.spark.shuffle.rdma.fetch;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

final class BlockIdSetTest {

  @Test
  void eachIdIsNewOnce() {
    BlockIdSet ids = new BlockIdSet();
    for (int map = 0; map < 10_000; map++) {
      assertTrue(ids.add("shuffle_0_" + map + "_7"));
      assertFalse(ids.add("shuffle_0_" + map + "_7"));
    }
    for (int map = 0; map < 10_000; map++) {
      assertFalse(ids.add("shuffle_0_" + map + "_7"));
    }
  }

  @Test
  void idsOfOneHashAreSeveral() {
    assertTrue("Aa".hashCode() == "BB".hashCode());
    BlockIdSet ids = new BlockIdSet();
    assertTrue(ids.add("Aa"));
    assertTrue(ids.add("BB"));
    assertFalse(ids.add("Aa"));
    assertFalse(ids.add("BB"));
  }
}
