package org.sparkrdma.it.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.condition.DisabledIfEnvironmentVariable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The modules' tests that need an RDMA device, on soft ones of the test kernel. */
@DisabledIfEnvironmentVariable(
    named = "RDMA_TEST_ADDRESS",
    matches = ".+",
    disabledReason = "the modules' own test runs had this device")
final class KernelVerbsIT {
  private static final Duration TIMEOUT = Duration.ofMinutes(40);

  @ParameterizedTest
  @ValueSource(strings = {"rxe", "siw"})
  void everyTestPassesAndNoneIsSkipped(String driver) throws Exception {
    TestKernel.Result result =
        TestKernel.run(driver, TIMEOUT, List.of("--driver", driver, "--no-build"));
    assertEquals(0, result.exitStatus(), result::toString);
    assertTrue(
        result.lastLine().matches("[1-9][0-9]* passed, 0 failed, 0 skipped"), result::toString);
  }
}
