package org.apache.spark.shuffle.rdma.memory;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * How much memory an executor's shuffle may take, and why.
 *
 * @param outputBytes for map outputs and index pages; {@link PinBudget#UNLIMITED} where files are
 *     only mapped
 * @param slabBytes of that, for what no file stands behind: index pages and copies of small outputs
 * @param poolBytes for the buffer pool
 * @param sum how it was reckoned, for the log
 * @param warning what the user should change, or null
 */
public record MemoryPlan(
    long outputBytes, long slabBytes, long poolBytes, String sum, @Nullable String warning) {

  /** What a JVM needs besides its heap, by Spark's own reckoning (memoryOverhead's default). */
  private static final long LEAST_OVERHEAD = 384L << 20;

  private static final int OVERHEAD_DIVISOR = 10;

  /**
   * The default's share of what the container leaves: 60 %. The rest is for what grows in a JVM,
   * such as Netty's buffers for the blocks that go by TCP.
   */
  private static final long SHARE_PERCENT = 60;

  /**
   * Where the container leaves less: a third of the overhead, of which Spark's own shuffle would
   * take as much for its buffers.
   */
  private static final int FLOOR_DIVISOR = 3;

  /** A device's queues are locked memory, too: an eighth of the limit is left to them. */
  private static final int MEMLOCK_DIVISOR = 8;

  /** What to do about a low limit of locked memory. */
  public static final String MEMLOCK_REMEDY =
      "raise it by memlock in /etc/security/limits.d, LimitMEMLOCK= of the systemd unit, or give the"
          + " container the capability IPC_LOCK";

  private static final String MAX_PINNED = "spark.shuffle.rdma.maxPinnedBytes";
  private static final String OVERHEAD = "spark.executor.memoryOverhead";

  /**
   * What there is. Bytes all.
   *
   * @param maxPinned spark.shuffle.rdma.maxPinnedBytes, 0 if it isn't set
   * @param poolWish of the buffer pool if there were room
   * @param pins whether the fabric pins what is registered
   * @param resident whether what is mapped counts even so, as YARN counts
   * @param heap the most that the heap may take
   * @param otherSpark what else Spark itself takes: spark.memory.offHeap.size, Python
   * @param asked the container that Spark asked YARN or Kubernetes for; 0 elsewhere
   * @param system the memory of the machine, or the cgroup's limit if that's less
   * @param limited whether it's a cgroup's limit
   * @param memlock how much the process may lock
   */
  public record Inputs(
      long maxPinned,
      long poolWish,
      boolean pins,
      boolean resident,
      long heap,
      long otherSpark,
      long asked,
      long system,
      boolean limited,
      long memlock) {}

  /** Reckons. */
  public static MemoryPlan of(Inputs in) {
    long overhead = Math.max(LEAST_OVERHEAD, in.heap / OVERHEAD_DIVISOR);
    long container = container(in);
    long left = Math.max(0, container - in.heap - in.otherSpark - overhead);
    long floor = overhead / FLOOR_DIVISOR;
    long byItself = Math.max(left / 100 * SHARE_PERCENT, floor);
    long budget = in.maxPinned > 0 ? in.maxPinned : byItself;
    String warning = null;
    boolean known = in.asked > 0 || in.limited;
    if (known && in.maxPinned > Math.max(left, floor) && (in.pins || in.resident)) {
      warning =
          MAX_PINNED
              + "="
              + text(in.maxPinned)
              + " is more than the "
              + text(left)
              + " that the container leaves, so the system may end the executor: raise "
              + OVERHEAD
              + " by "
              + text(in.maxPinned - left)
              + ", or lower it";
    }
    String limits = "";
    long lockable = in.memlock - in.memlock / MEMLOCK_DIVISOR;
    if (in.pins && lockable < budget) {
      budget = lockable;
      limits = ", cut to 7/8 of RLIMIT_MEMLOCK (" + text(in.memlock) + ")";
      warning =
          "The process may lock only "
              + text(in.memlock)
              + " of memory (RLIMIT_MEMLOCK), so "
              + text(budget)
              + " are all that the shuffle registers, and other blocks go by TCP: "
              + MEMLOCK_REMEDY;
    }
    boolean unlimited = in.maxPinned == 0 && !in.pins && !in.resident;
    long poolInBudget = Math.min(in.poolWish, budget / 2);
    long pool = unlimited ? in.poolWish : poolInBudget;
    long slabs = budget - poolInBudget;
    String sum =
        (unlimited ? "map outputs are mapped without a limit, as nothing is pinned; " : "")
            + text(slabs)
            + (unlimited ? " for index pages and small outputs + " : " for map outputs + ")
            + text(pool)
            + " buffer pool, "
            + (in.maxPinned > 0 ? MAX_PINNED : reckoning(in, container, overhead, left, byItself))
            + limits;
    return new MemoryPlan(unlimited ? PinBudget.UNLIMITED : slabs, slabs, pool, sum, warning);
  }

  private static long container(Inputs in) {
    if (in.asked > 0) {
      return Math.min(in.asked, in.system);
    }
    // Without a limit the machine has other executors, too: each is taken for twice its heap.
    return in.limited ? in.system : Math.min(in.system, 2 * in.heap);
  }

  private static String reckoning(
      Inputs in, long container, long overhead, long left, long byItself) {
    String size =
        text(container)
            + (in.asked > 0 || in.limited ? "" : " (twice the heap, as there's no limit)");
    String leaves =
        "the container of "
            + size
            + " leaves "
            + text(left)
            + " after "
            + text(in.heap)
            + " heap, "
            + (in.otherSpark > 0 ? text(in.otherSpark) + " off-heap memory, " : "")
            + text(overhead)
            + " for the JVM";
    return (byItself > left / 100 * SHARE_PERCENT
            ? "a third of the JVM's own, since "
            : SHARE_PERCENT + " % of what is left: ")
        + leaves
        + "; for more, raise "
        + OVERHEAD
        + " or set "
        + MAX_PINNED;
  }

  private static String text(long bytes) {
    return bytes >= 1 << 20
        ? String.format(Locale.ROOT, "%,d MiB", bytes >> 20)
        : String.format(Locale.ROOT, "%,d bytes", bytes);
  }
}
