package org.apache.spark.shuffle.rdma.fabric.verbs;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.apache.spark.shuffle.rdma.fabric.Child;
import org.junit.jupiter.api.Test;

/** A port that goes down and a device that is taken away while they are used. */
@InTestKernel
final class DeviceLossTest {

  /** Other failures may come before, as of a connect that is slow. */
  private static void awaitReads(Child child, String wanted) throws IOException {
    String said = "";
    while (!said.equals(wanted)) {
      said = child.await("READS")[1];
    }
  }

  /**
   * Not on rxe, where the kernel's connection manager doesn't survive it: a message that it sends
   * through a port that is down puts its queue pair (GSI) into the error state for good.
   */
  @Test
  void aPortThatGoesDownFailsReadsUntilItIsUpAgain() throws Exception {
    try (ExtraDevice device = ExtraDevice.add();
        Child child = device.start(VerbsLoop.class)) {
      awaitReads(child, "ok");
      device.down();
      awaitReads(child, "DEVICE_LOST");
      device.up();
      if (Verbs.isIwarp()) {
        awaitReads(child, "ok");
      }
      child.enter("");
      child.await("CLOSED");
    }
  }

  /**
   * rxe of Linux 7.3 tells its users and ends their connections, as cards do. siw, and rxe of 6.12,
   * wait with the removal until nobody has the device open, and tell nobody, so reads go on.
   */
  @Test
  void aDeviceThatIsTakenAwayFailsReadsAndHangsNobody() throws Exception {
    try (ExtraDevice device = ExtraDevice.add()) {
      Process removal;
      try (Child child = device.start(VerbsLoop.class)) {
        awaitReads(child, "ok");
        removal = device.remove();
        if (removal.waitFor(10, TimeUnit.SECONDS)) {
          awaitReads(child, "DEVICE_LOST");
        }
        child.enter("");
        child.await("CLOSED");
      }
      assertTrue(removal.waitFor(60, TimeUnit.SECONDS), "the removal hangs");
      assertFalse(device.isThere());
    }
  }
}
