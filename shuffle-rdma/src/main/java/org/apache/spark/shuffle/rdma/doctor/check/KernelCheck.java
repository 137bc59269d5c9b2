package org.apache.spark.shuffle.rdma.doctor.check;

import java.util.ArrayList;
import java.util.List;

/** The kernel, and its parts for RDMA from user space. */
final class KernelCheck {

  private KernelCheck() {}

  static Finding check(SystemFiles files, Wish wish) {
    String release =
        "Linux " + files.text("/proc/sys/kernel/osrelease").orElse("of unknown release");
    if (!wish.looksAtRdma()) {
      return Finding.good(Topic.KERNEL, release);
    }
    List<String> missing = new ArrayList<>();
    if (!files.exists("/sys/class/infiniband_verbs")) {
      missing.add("ib_uverbs");
    }
    if (!files.exists("/sys/class/misc/rdma_cm")) {
      missing.add("rdma_ucm");
    }
    return missing.isEmpty()
        ? Finding.good(Topic.KERNEL, release + " with ib_uverbs and rdma_ucm")
        : new Finding(
            Topic.KERNEL,
            "",
            release + " without " + String.join(" and ", missing),
            wish.withoutRdma(),
            Topic.KERNEL.remedy());
  }
}
