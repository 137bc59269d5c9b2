package org.apache.spark.shuffle.rdma.fabric.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.spark.shuffle.rdma.fabric.Child;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;

/**
 * A port that goes down and a device that is taken away while they are used. Changes the test
 * kernel's network, so it runs nowhere else; on a device of its own, which another process opens,
 * since librdmacm keeps devices open until its process ends.
 */
@Tag("verbs")
@EnabledIfEnvironmentVariable(
    named = "RDMA_TEST_DRIVER",
    matches = ".+",
    disabledReason = "not in the test kernel")
final class DeviceLossTest {

  private static final String ADDRESS = "10.78.0.1";
  private static final Path DEVICE = Path.of("/sys/class/infiniband/lost");

  @BeforeEach
  void addDevice() throws Exception {
    run("ip", "link", "add", "veth6", "type", "veth", "peer", "name", "veth7");
    run("ip", "addr", "add", ADDRESS + "/24", "dev", "veth6");
    run("ip", "link", "set", "veth6", "up");
    run("ip", "link", "set", "veth7", "up");
    Thread.sleep(2_000);
    run(
        "rdma",
        "link",
        "add",
        "lost",
        "type",
        String.valueOf(System.getenv("RDMA_TEST_DRIVER")),
        "netdev",
        "veth6");
  }

  @AfterEach
  void removeInterfaces() throws Exception {
    run("ip", "link", "delete", "veth6");
  }

  private static void run(String... command) throws IOException, InterruptedException {
    Process process = new ProcessBuilder(command).inheritIO().start();
    assertEquals(0, process.waitFor(), String.join(" ", command));
  }

  private static Child startLoop() throws IOException {
    return Child.start(
        List.of("env", "-u", "RDMA_TEST_PEER_ADDRESS", "RDMA_TEST_ADDRESS=" + ADDRESS),
        VerbsLoop.class);
  }

  @Test
  void aPortThatGoesDownFailsReadsUntilItIsUpAgain() throws Exception {
    try (Child child = startLoop()) {
      assertEquals("ok", child.await("READS")[1]);
      run("ip", "link", "set", "veth6", "down");
      assertEquals("DEVICE_LOST", child.await("READS")[1]);
      run("ip", "link", "set", "veth6", "up");
      String said = "";
      while (!said.equals("ok")) {
        said = child.await("READS")[1];
      }
      child.enter();
      child.await("CLOSED");
    }
  }

  /**
   * rxe tells its users and ends their connections, as cards do; siw waits with the removal until
   * nobody has the device open, and tells nobody, so its reads go on.
   */
  @Test
  void aDeviceThatIsTakenAwayFailsReadsAndHangsNobody() throws Exception {
    try (Child child = startLoop()) {
      assertEquals("ok", child.await("READS")[1]);
      Process removal = new ProcessBuilder("rdma", "link", "delete", "lost").inheritIO().start();
      if (Verbs.isIwarp()) {
        assertFalse(removal.waitFor(1, TimeUnit.SECONDS), "siw has let its users down");
      } else {
        assertEquals("DEVICE_LOST", child.await("READS")[1]);
      }
      child.enter();
      child.await("CLOSED");
      assertTrue(removal.waitFor(60, TimeUnit.SECONDS), "the removal hangs");
    }
    assertFalse(Files.exists(DEVICE));
  }
}
