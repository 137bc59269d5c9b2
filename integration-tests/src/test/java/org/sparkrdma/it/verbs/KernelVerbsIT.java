package org.sparkrdma.it.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIfEnvironmentVariable;

/** The modules' tests that need an RDMA device, on soft ones of the test kernel. */
@DisabledIfEnvironmentVariable(
    named = "RDMA_TEST_ADDRESS",
    matches = ".+",
    disabledReason = "the modules' own test runs had this device")
final class KernelVerbsIT {
  private static final Duration TIMEOUT = Duration.ofMinutes(40);

  @Test
  void everyTestPassesOnBothDriversAndNoneIsSkipped() throws Exception {
    TestKernel.Result result =
        TestKernel.run("tests", TIMEOUT, List.of("--no-build", "--timeout", "1800"));
    assertEquals(0, result.exitStatus(), result::toString);
    assertTrue(
        result.lastLine().matches("[1-9][0-9]* passed, 0 failed, 0 skipped"), result::toString);
  }
}
