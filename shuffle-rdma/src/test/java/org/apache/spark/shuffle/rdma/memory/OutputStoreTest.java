package org.apache.spark.shuffle.rdma.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.spark.shuffle.rdma.fabric.Fabric;
import org.apache.spark.shuffle.rdma.fabric.software.SoftwareFabric;
import org.apache.spark.shuffle.rdma.fabric.software.SoftwareOptions;
import org.apache.spark.shuffle.rdma.metrics.Counter;
import org.apache.spark.shuffle.rdma.metrics.Counters;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class OutputStoreTest {

  private static final int BYTES = 100_000;

  @TempDir private Path directory;
  private final Counters counters = new Counters();

  /** The executor stops while an output is registered, and its region can't be closed, either. */
  @Test
  void theFirstFailureIsThrownAndThoseOfItsUndoingAreSuppressed() throws Exception {
    Path file = Files.write(directory.resolve("output"), new byte[BYTES]);
    MappingGroup group = new MappingGroup(unmapped -> {});
    group.join(BYTES);
    try (Fabric real =
        SoftwareFabric.start(new SoftwareOptions("127.0.0.1", true, false, 5000, null, "owner"))) {
      StuckFabric fabric = new StuckFabric(real);
      PinBudget budget = new PinBudget(PinBudget.UNLIMITED, PinBudget.UNLIMITED, counters);
      OutputStore store = new OutputStore(fabric, budget, counters);
      fabric.onBytes = BYTES;
      fabric.onRegistered =
          () -> {
            store.close();
            fabric.stuck = true;
          };
      IllegalStateException thrown =
          assertThrows(
              IllegalStateException.class,
              () -> store.add(group, 1, 2, file, new long[] {BYTES}, BYTES));
      assertEquals("Already closed", thrown.getMessage(), "the page");
      assertEquals(1, thrown.getSuppressed().length);
      assertEquals("stuck", thrown.getSuppressed()[0].getMessage());
      assertEquals(
          AnonymousMemory.wholePages(BYTES),
          counters.get(Counter.BUDGET_BYTES),
          "it's still there");
    }
  }
}
