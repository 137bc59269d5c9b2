package org.sparkrdma.it.jobs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;

/** Jobs whose blocks come by RDMA, on a device of this machine's or of the test kernel's. */
@Tag("verbs")
@EnabledIfEnvironmentVariable(
    named = "RDMA_TEST_ADDRESS",
    matches = ".+",
    disabledReason = "no device's address: see integration-tests/test-kernel/run")
final class VerbsJobsIT {

  private static final Map<String, String> VERBS = Map.of("spark.shuffle.rdma.fabric", "verbs");

  @Test
  void theRowsAreTheSameAndEveryRemoteBlockComesByRdma() throws Exception {
    Map<String, String> conf = new HashMap<>(SameRowsIT.ADAPTIVE);
    conf.putAll(VERBS);
    var expected = SameRowsIT.rowsBySortShuffle();
    try (TestApplication application = TestApplication.withRdma(conf)) {
      SameRowsIT.check(application, EnumSet.allOf(Job.class), expected);
      Map<String, Long> counters = application.counters();
      System.out.println("by RDMA: " + counters);
      assertEquals(counters.get("read-blocks"), counters.get("read-blocks-verbs"));
    }
  }

  @Test
  void aStageIsRetriedAfterItsExecutorWasKilled() throws Exception {
    FaultsIT.killAnExecutor(VERBS);
  }
}
