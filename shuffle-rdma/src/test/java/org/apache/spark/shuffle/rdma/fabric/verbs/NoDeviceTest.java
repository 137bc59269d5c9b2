package org.apache.spark.shuffle.rdma.fabric.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.spark.shuffle.rdma.fabric.FabricException;
import org.apache.spark.shuffle.rdma.fabric.FabricException.Kind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIf;

/** What is said on a machine with no RDMA device, as most build machines are. */
@DisabledIf(value = "hasDevices", disabledReason = "this machine has a device")
final class NoDeviceTest {

  static boolean hasDevices() {
    String[] devices = Path.of("/sys/class/infiniband").toFile().list();
    return devices != null && devices.length > 0;
  }

  @Test
  void theReasonAndTheRemedyAreSaid() {
    VerbsOptions options =
        Verbs.options("lonely", null, List.of(InetAddress.ofLiteral("127.0.0.1")));
    FabricException e =
        assertThrows(FabricException.class, () -> VerbsFabric.start(options).close());
    assertEquals(Kind.DEVICE_LOST, e.kind());
    String message = String.valueOf(e.getMessage());
    boolean libraries =
        Files.exists(Path.of("/usr/lib/x86_64-linux-gnu/librdmacm.so.1"))
            && Files.exists(Path.of("/usr/lib/x86_64-linux-gnu/libibverbs.so.1"));
    if (libraries) {
      assertTrue(message.matches("no RDMA here \\((KERNEL_WITHOUT_RDMA|NO_DEVICE)\\).*"), message);
      assertTrue(message.contains("modprobe") || message.contains("rdma_ucm"), message);
    } else {
      assertTrue(message.startsWith("no RDMA here (LIBRARY_MISSING)"), message);
      assertTrue(message.contains("install rdma-core"), message);
    }
  }
}
