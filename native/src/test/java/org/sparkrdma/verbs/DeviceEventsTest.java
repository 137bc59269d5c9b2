package org.sparkrdma.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What devices report by themselves. Changes the test kernel's network, so it runs nowhere else; on
 * a device of its own, which another process opens, since librdmacm keeps devices open until its
 * process ends.
 */
@VerbsTest
final class DeviceEventsTest {
  private static final String DRIVER = System.getenv("RDMA_TEST_DRIVER");

  @BeforeEach
  void addDevice() throws IOException, InterruptedException {
    assumeTrue(DRIVER != null, "not in the test kernel");
    run("ip", "link", "add", "veth8", "type", "veth", "peer", "name", "veth9");
    run("ip", "addr", "add", "10.78.0.1/24", "dev", "veth8");
    run("ip", "link", "set", "veth8", "up");
    run("ip", "link", "set", "veth9", "up");
    Thread.sleep(2_000);
    run("rdma", "link", "add", "extra", "type", DRIVER, "netdev", "veth8");
  }

  @AfterEach
  void removeInterfaces() throws IOException, InterruptedException {
    run("ip", "link", "delete", "veth8");
  }

  static void run(String... command) throws IOException, InterruptedException {
    Process process = new ProcessBuilder(command).inheritIO().start();
    assertEquals(0, process.waitFor(), String.join(" ", command));
  }

  private static String probe(String what) throws IOException, InterruptedException {
    String output = ChildJvm.run(DeviceEventsProbe.class, what);
    System.out.print(output);
    return output;
  }

  @Test
  void portThatGoesDownIsAnEventAndThenAReason() throws Exception {
    String output = probe("port");
    assertTrue(output.contains("event PORT_ERROR"), output);
    assertTrue(output.contains("reason PORT_DOWN"), output);
    assertTrue(output.contains("`ip link`"), output);
  }

  @Test
  void ofTwoDevicesTheOneWithoutACarrierSaysSo() throws Exception {
    run("ip", "link", "set", "veth9", "down");
    String output = probe("list");
    assertTrue(output.contains(DRIVER + "0 ACTIVE"), output);
    assertTrue(output.contains("extra PORT_DOWN no port of extra is active"), output);
  }

  /**
   * rxe of Linux 7.3 reports DEVICE_FATAL and ends the connections, as cards do; siw waits with the
   * removal until nobody has the device open, and tells nobody.
   */
  @Test
  void deviceThatIsTakenAwayHangsNobodyAndGoesWhenTheProcessEnds() throws Exception {
    String output = probe("removal");
    assertTrue(output.contains("closed"), output);
    Path device = Path.of("/sys/class/infiniband/extra");
    for (int i = 0; i < 100 && Files.exists(device); i++) {
      Thread.sleep(100);
    }
    assertFalse(Files.exists(device));
  }
}
