package org.sparkrdma.it.jobs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import org.apache.spark.shuffle.rdma.RdmaShuffleManager;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Where nothing is remote the manager is plain sort shuffle; a wrong value ends the start. */
final class LocalModeIT {

  private static final String MANAGER = RdmaShuffleManager.class.getName();

  @Test
  void localModeJustWorks() {
    List<String> expected;
    try (TestApplication application = TestApplication.withSortShuffle(Map.of())) {
      expected = Job.REDUCE_BY_KEY.apply(application);
    }
    Map<String, String> conf = Map.of("spark.shuffle.manager", MANAGER);
    try (TestApplication application = TestApplication.withSortShuffle(conf)) {
      assertEquals(expected, Job.REDUCE_BY_KEY.apply(application));
      assertFalse(application.manager().isActive());
      assertEquals(Map.of(), application.counters());
    }
  }

  @ParameterizedTest
  @CsvSource({
    "spark.shuffle.rdma.fabric, infiniband, 'auto, verbs, software, off'",
    "spark.shuffle.rdma.bufferPoolBytes, -1, '0, or 4096 to 1099511627776'",
    "spark.shuffle.rdma.leaseMillis, soon, 1 to 600000",
  })
  void aWrongValueEndsTheApplicationAtItsStart(String key, String value, String allowed) {
    Map<String, String> conf = Map.of("spark.shuffle.manager", MANAGER, key, value);
    Throwable thrown = assertThrows(Exception.class, () -> TestApplication.withSortShuffle(conf));
    while (!(thrown instanceof IllegalArgumentException) && thrown.getCause() != null) {
      thrown = thrown.getCause();
    }
    assertTrue(thrown.toString().contains(key + "=" + value), thrown::toString);
    assertTrue(thrown.toString().contains(allowed), thrown::toString);
  }
}
