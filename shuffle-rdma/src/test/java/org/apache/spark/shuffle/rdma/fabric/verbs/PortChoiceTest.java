package org.apache.spark.shuffle.rdma.fabric.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import org.apache.spark.shuffle.rdma.fabric.Child;
import org.junit.jupiter.api.Test;

/** Which of several devices and addresses is taken, and what is said where none can be. */
@InTestKernel
final class PortChoiceTest {

  private static final String FIRST = "10.77.0.1";
  private static final String SECOND = "10.77.0.2";

  @Test
  void theFirstAddressOfAUsableDeviceIsTaken() throws Exception {
    String driver = System.getenv("RDMA_TEST_DRIVER");
    try (ExtraDevice device = ExtraDevice.add();
        Child child = device.start(VerbsChoice.class)) {
      assertEquals("chose " + SECOND, choose(child, "any 0 " + SECOND + " " + FIRST));
      assertEquals("chose " + FIRST, choose(child, driver + "0 0 " + SECOND + " " + FIRST));
      assertEquals("chose " + FIRST, choose(child, "any 1 " + FIRST));
      device.unplug();
      assertEquals("chose " + FIRST, choose(child, "any 0 " + ExtraDevice.ADDRESS + " " + FIRST));
      assertRefused("port 1 is DOWN: check cable", child, "any 0 " + ExtraDevice.ADDRESS);
      assertRefused("for device mlx5_0", child, "mlx5_0 0 " + FIRST);
      assertRefused("any device port 2", child, "any 2 " + FIRST);
      assertRefused("10.99.0.1 belongs to no RDMA device", child, "any 0 10.99.0.1");
    }
  }

  private static void assertRefused(String said, Child child, String line) throws IOException {
    String answer = choose(child, line);
    assertTrue(answer.startsWith("refused: ") && answer.contains(said), answer);
    assertTrue(answer.contains("spark.shuffle.rdma.bindAddress"), answer);
  }

  private static String choose(Child child, String line) throws IOException {
    child.enter(line);
    return String.join(" ", child.await("ANSWER")).substring("ANSWER ".length());
  }
}
