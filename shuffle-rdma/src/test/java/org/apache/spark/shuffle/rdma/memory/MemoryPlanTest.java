package org.apache.spark.shuffle.rdma.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Objects;
import org.junit.jupiter.api.Test;

final class MemoryPlanTest {

  private static final long MIB = 1 << 20;
  private static final long GIB = 1 << 30;

  /** A standalone executor of 4 GiB on a machine of 256, on verbs, with nothing set. */
  private static final MemoryPlan.Inputs STANDALONE =
      new MemoryPlan.Inputs(
          0, 240 * MIB, true, false, 4 * GIB, 0, 0, 256 * GIB, false, Long.MAX_VALUE);

  private static MemoryPlan.Inputs container(long asked, long limit, long maxPinned) {
    return new MemoryPlan.Inputs(
        maxPinned, 240 * MIB, true, false, 4 * GIB, 0, asked, limit, true, Long.MAX_VALUE);
  }

  @Test
  void withoutALimitAnExecutorIsTakenForTwiceItsHeap() {
    MemoryPlan plan = MemoryPlan.of(STANDALONE);
    long left = 4 * GIB - 4 * GIB / 10;
    assertEquals(left / 100 * 60, plan.outputBytes() + plan.poolBytes());
    assertEquals(240 * MIB, plan.poolBytes());
    assertEquals(plan.outputBytes(), plan.slabBytes());
    assertTrue(plan.sum().contains("60 % of what is left"), plan.sum());
    assertNull(plan.warning());
  }

  @Test
  void aContainerWithTheDefaultOverheadLeavesAThirdOfIt() {
    MemoryPlan plan = MemoryPlan.of(container(4 * GIB + 410 * MIB, 64 * GIB, 0));
    assertEquals(4 * GIB / 10 / 3, plan.outputBytes() + plan.poolBytes());
    assertEquals((plan.outputBytes() + plan.poolBytes()) / 2, plan.poolBytes());
    assertTrue(plan.sum().contains("spark.executor.memoryOverhead"), plan.sum());
  }

  @Test
  void raisingTheOverheadGivesMore() {
    long more = 2 * GIB;
    MemoryPlan before = MemoryPlan.of(container(6 * GIB, 64 * GIB, 0));
    MemoryPlan after = MemoryPlan.of(container(6 * GIB + more, 64 * GIB, 0));
    assertEquals(more * 60 / 100 / MIB, (after.outputBytes() - before.outputBytes()) / MIB);
  }

  @Test
  void theSmallerOfWhatWasAskedForAndTheLimitCounts() {
    assertEquals(
        MemoryPlan.of(container(6 * GIB, 64 * GIB, 0)).outputBytes(),
        MemoryPlan.of(container(64 * GIB, 6 * GIB, 0)).outputBytes());
  }

  @Test
  void whatIsSetCountsAndMoreThanThereIsWarns() {
    MemoryPlan plan = MemoryPlan.of(container(6 * GIB, 64 * GIB, 3 * GIB));
    assertEquals(3 * GIB, plan.outputBytes() + plan.poolBytes());
    String warning = Objects.requireNonNull(plan.warning());
    assertTrue(warning.contains("raise spark.executor.memoryOverhead by 1,433 MiB"), warning);
    assertNull(MemoryPlan.of(container(6 * GIB, 64 * GIB, GIB)).warning());
  }

  @Test
  void theLockLimitCutsTheBudgetAndSaysHowToRaiseIt() {
    MemoryPlan plan =
        MemoryPlan.of(
            new MemoryPlan.Inputs(
                0, 240 * MIB, true, false, 4 * GIB, 0, 0, 256 * GIB, false, 8 * MIB));
    assertEquals(7 * MIB, plan.outputBytes() + plan.poolBytes());
    // The queues' eighth is left even where the budget would fit in just so.
    MemoryPlan tight =
        MemoryPlan.of(
            new MemoryPlan.Inputs(
                GIB, 240 * MIB, true, false, 4 * GIB, 0, 0, 256 * GIB, false, GIB));
    assertEquals(GIB - GIB / 8, tight.outputBytes() + tight.poolBytes());
    String warning = Objects.requireNonNull(plan.warning());
    assertTrue(warning.contains("RLIMIT_MEMLOCK") && warning.contains("IPC_LOCK"), warning);
  }

  @Test
  void whereNothingIsPinnedOnlySlabsAreLimited() {
    MemoryPlan plan =
        MemoryPlan.of(
            new MemoryPlan.Inputs(
                0, 240 * MIB, false, false, 4 * GIB, 0, 0, 256 * GIB, false, 8 * MIB));
    assertEquals(PinBudget.UNLIMITED, plan.outputBytes());
    assertEquals(240 * MIB, plan.poolBytes());
    assertTrue(plan.slabBytes() < 4 * GIB, "slabs aren't files");
    MemoryPlan manyCores =
        MemoryPlan.of(
            new MemoryPlan.Inputs(
                0, 16 * 60 * MIB, false, false, GIB, 0, 0, 256 * GIB, false, 8 * MIB));
    assertEquals(16 * 60 * MIB, manyCores.poolBytes());
    assertTrue(manyCores.slabBytes() > 100 * MIB, "without index pages nothing can be read");
    assertNull(plan.warning());
    MemoryPlan yarn =
        MemoryPlan.of(
            new MemoryPlan.Inputs(
                0, 240 * MIB, false, true, 4 * GIB, 0, 6 * GIB, 256 * GIB, false, 8 * MIB));
    assertTrue(yarn.outputBytes() < 2 * GIB, "YARN counts what is resident");
    MemoryPlan set =
        MemoryPlan.of(
            new MemoryPlan.Inputs(
                GIB, 240 * MIB, false, false, 4 * GIB, 0, 0, 256 * GIB, false, 8 * MIB));
    assertEquals(GIB, set.outputBytes() + set.poolBytes());
  }

  @Test
  void thisProcessesLimitsCanBeRead() {
    HostMemory host = HostMemory.read();
    assertTrue(host.system() > 64 * MIB);
    assertTrue(host.memlock() > 0);
    String limits = "Limit  Soft Limit  Hard Limit\nMax locked memory     8388608      9 bytes\n";
    assertEquals(8388608, HostMemory.memlock(limits, "CapEff:\t0000000000000000\n"));
    assertEquals(Long.MAX_VALUE, HostMemory.memlock(limits, "CapEff:\t0000000000004000\n"));
    assertFalse(
        HostMemory.memlock("Max locked memory  unlimited unlimited bytes\n", "") < 1L << 62);
  }
}
