package org.apache.spark.shuffle.rdma.doctor.check;

import java.util.regex.Pattern;
import org.apache.spark.shuffle.rdma.memory.HostMemory;
import org.apache.spark.shuffle.rdma.memory.MemoryPlan;

/** How much memory this process may lock. */
final class MemlockCheck {

  private static final Pattern SOFT = Pattern.compile("(?m)^Max locked memory\\s+(\\S+)");
  private static final Pattern HARD = Pattern.compile("(?m)^Max locked memory\\s+\\S+\\s+(\\S+)");

  /** Queues and a buffer pool of one slab don't fit into less. */
  private static final long LEAST_BYTES = 16 << 20;

  private MemlockCheck() {}

  /**
   * Checks.
   *
   * @param devices whether there's an RDMA device
   */
  static Finding check(SystemFiles files, Wish wish, boolean devices) {
    String soft = files.match("/proc/self/limits", SOFT).orElse("unknown");
    String hard = files.match("/proc/self/limits", HARD).orElse("unknown");
    boolean capable = files.text("/proc/self/status").map(HostMemory::mayLockAll).orElse(false);
    String found =
        "soft limit "
            + text(soft)
            + ", hard limit "
            + text(hard)
            + (capable ? ", lifted by CAP_IPC_LOCK" : ", no CAP_IPC_LOCK");
    boolean asked = wish.fabric() == Wish.FabricWish.VERBS;
    if (capable || soft.equals("unlimited") || !(asked || devices)) {
      return Finding.good(Topic.MEMLOCK, found);
    }
    boolean tooLittle = asked && soft.matches("\\d{1,18}") && Long.parseLong(soft) < LEAST_BYTES;
    return new Finding(
        Topic.MEMLOCK,
        "",
        found,
        tooLittle ? Verdict.BAD : Verdict.WARN,
        MemoryPlan.MEMLOCK_REMEDY);
  }

  private static String text(String limit) {
    return limit.matches("\\d{1,18}") ? Sizes.text(Long.parseLong(limit)) : limit;
  }
}
