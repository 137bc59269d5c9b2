package org.apache.spark.shuffle.rdma.location;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class MapIdsTest {

  @Test
  void itHasWhatASetHas() {
    Random random = Samples.random("itHasWhatASetHas");
    for (int round = 0; round < 50; round++) {
      MapIds ids = new MapIds();
      Set<Long> expected = new HashSet<>();
      for (int step = 0; step < 200; step++) {
        long id = random.nextLong(-5, 35);
        if (random.nextBoolean()) {
          ids.add(id);
          expected.add(id);
        } else {
          assertEquals(expected.remove(id), ids.remove(id));
        }
        assertEquals(expected.isEmpty(), ids.isEmpty());
      }
      expected.forEach(id -> assertTrue(ids.remove(id)));
      assertTrue(ids.isEmpty());
    }
  }
}
