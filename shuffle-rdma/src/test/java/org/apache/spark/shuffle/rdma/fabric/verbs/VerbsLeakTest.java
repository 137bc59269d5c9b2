package org.apache.spark.shuffle.rdma.fabric.verbs;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;

import org.apache.spark.shuffle.rdma.fabric.Fabric;
import org.apache.spark.shuffle.rdma.fabric.FabricException;
import org.apache.spark.shuffle.rdma.fabric.FabricLeakContract;
import org.junit.jupiter.api.Test;

/** Nothing stays of a closed verbs fabric in its process. */
@DeviceTest
final class VerbsLeakTest extends FabricLeakContract {

  @Override
  protected Fabric newFabric(String owner) throws FabricException {
    return Verbs.start(owner);
  }

  /** PDs, CQs, QPs, MRs and CM identifiers, as {@code rdma resource show} counts them. */
  @Test
  void leavesNothingInTheKernel() throws Exception {
    cycle(); // The first use opens contexts that stay.
    String before = resources();
    for (int i = 0; i < 10; i++) {
      cycle();
    }
    // Queue pairs of closed connections linger for a moment.
    for (int i = 0; i < 100 && !resources().equals(before); i++) {
      Thread.sleep(100);
    }
    assertEquals(before, resources());
  }

  private static String resources() throws Exception {
    Process process = new ProcessBuilder("rdma", "resource", "show").start();
    String counts = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertEquals(0, process.waitFor());
    return counts;
  }
}
