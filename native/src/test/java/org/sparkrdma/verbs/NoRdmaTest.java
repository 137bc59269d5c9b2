package org.sparkrdma.verbs;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sparkrdma.verbs.RdmaUnavailableException.Reason;

/** Machines on which RDMA can't be used say why, and what would help. */
final class NoRdmaTest {
  /** Prints what listing the devices comes to; run in a JVM of its own. */
  static final class Probe {
    private Probe() {}

    public static void main(String[] args) {
      try {
        System.out.println("devices " + Devices.list());
      } catch (RdmaUnavailableException e) {
        System.out.println(e.reason() + " " + e.getMessage());
        RdmaUnavailableException again =
            RdmaLibrary.unavailable().orElseThrow(() -> new AssertionError("available", e));
        System.out.println("again " + again.reason());
      }
    }
  }

  @Test
  void missingLibraryIsATypedReason(@TempDir Path folder) throws Exception {
    // The loader takes the first file of this name that it finds, and this is none.
    Files.writeString(folder.resolve("librdmacm.so.1"), "not a library");
    String output = probe(folder);
    assertTrue(output.startsWith("LIBRARY_MISSING "), output);
    assertTrue(output.contains("librdmacm1"), output);
    assertTrue(output.contains("again LIBRARY_MISSING"), output);
  }

  private static String probe(Path libraries) throws IOException, InterruptedException {
    Path java = Path.of(System.getProperty("java.home"), "bin", "java");
    ProcessBuilder builder =
        new ProcessBuilder(
            java.toString(),
            "-Xmx64m",
            "--enable-native-access=ALL-UNNAMED",
            "-cp",
            System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
            Probe.class.getName());
    builder.environment().put("LD_LIBRARY_PATH", libraries.toString());
    builder.redirectErrorStream(true);
    Process process = builder.start();
    String output = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertEquals(0, process.waitFor(), output);
    return output;
  }

  @Test
  void kernelWithoutRdmaIsATypedReason() {
    assumeTrue(RdmaLibrary.unavailable().isEmpty(), "libibverbs or librdmacm is not installed");
    assumeFalse(Files.exists(Path.of("/sys/class/infiniband_verbs")), "this kernel has RDMA");
    for (org.junit.jupiter.api.function.Executable entry :
        new org.junit.jupiter.api.function.Executable[] {
          Devices::list, () -> Devices.open("rxe0").close(), () -> ConnectionManager.open().close()
        }) {
      RdmaUnavailableException error = assertThrows(RdmaUnavailableException.class, entry);
      assertEquals(Reason.KERNEL_WITHOUT_RDMA, error.reason());
      assertTrue(error.getMessage().contains("modprobe"), error.getMessage());
    }
  }
}
