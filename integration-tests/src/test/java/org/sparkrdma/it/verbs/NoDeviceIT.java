package org.sparkrdma.it.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIfEnvironmentVariable;
import org.sparkrdma.verbs.ConnectionManager;
import org.sparkrdma.verbs.Devices;
import org.sparkrdma.verbs.RdmaUnavailableException;

/** A kernel with RDMA but no device: a boot of its own, whose devices are deleted first. */
@DisabledIfEnvironmentVariable(
    named = "RDMA_TEST_ADDRESS",
    matches = ".+",
    disabledReason = "this machine has a device")
final class NoDeviceIT {
  private static final Duration TIMEOUT = Duration.ofMinutes(30);

  /** Prints the devices, and why there is nothing to open. */
  static final class Probe {
    private Probe() {}

    public static void main(String[] args) {
      System.out.println("devices " + Devices.list());
      try {
        Devices.open("rxe0").close();
      } catch (RdmaUnavailableException e) {
        System.out.println("device " + e.reason() + " " + e.getMessage());
      }
      try {
        ConnectionManager.open().close();
      } catch (RdmaUnavailableException e) {
        System.out.println("manager " + e.reason() + " " + e.getMessage());
      }
    }
  }

  @Test
  void reasonAndRemedyAreGiven() throws Exception {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    String classes = Objects.requireNonNull(System.getProperty("surefire.test.class.path"));
    TestKernel.Result result =
        TestKernel.run(
            "no-device",
            TIMEOUT,
            List.of(
                "--",
                "bash",
                "-c",
                "rdma link delete rxe0 && rdma link delete rxe1 && exec \"$@\"",
                "bash",
                java,
                "-Xmx128m",
                "-XX:+UseSerialGC",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                classes,
                Probe.class.getName()));
    assertEquals(0, result.exitStatus(), result::toString);
    List<String> lines = result.lines();
    assertTrue(lines.contains("devices []"), result::toString);
    for (String what : List.of("device", "manager")) {
      assertTrue(
          lines.stream()
              .anyMatch(l -> l.startsWith(what + " NO_DEVICE") && l.contains("rdma link")),
          result::toString);
    }
  }
}
