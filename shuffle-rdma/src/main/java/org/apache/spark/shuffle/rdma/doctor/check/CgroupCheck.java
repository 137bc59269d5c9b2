package org.apache.spark.shuffle.rdma.doctor.check;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/** The memory that this process's cgroup, and those above it, may have. */
final class CgroupCheck {

  private static final Pattern MEM_TOTAL = Pattern.compile("(?m)^MemTotal:\\s+(\\d{1,15}) kB");
  private static final Pattern UNIFIED = Pattern.compile("(?m)^0::(/\\S*)$");
  private static final Pattern LEGACY =
      Pattern.compile("(?m)^\\d+:(?:[^:]*,)?memory(?:,[^:]*)?:(/\\S*)$");

  /** Spark's default executor: 1 GiB of heap and 384 MiB besides. */
  private static final long LEAST_BYTES = 1408L << 20;

  private CgroupCheck() {}

  static Finding check(SystemFiles files) {
    long machine =
        files
            .match("/proc/meminfo", MEM_TOTAL)
            .map(text -> Long.parseLong(text) << 10)
            .orElse(Long.MAX_VALUE);
    Optional<Long> limit =
        limits(files).stream().filter(bytes -> bytes < machine).min(Long::compare);
    if (limit.isEmpty()) {
      return Finding.good(Topic.CGROUP_MEMORY, "no limit" + ofMachine(machine));
    }
    String found = "limit " + Sizes.text(limit.get()) + used(files) + ofMachine(machine);
    return limit.get() >= LEAST_BYTES
        ? Finding.good(Topic.CGROUP_MEMORY, found)
        : Finding.warn(Topic.CGROUP_MEMORY, found, Topic.CGROUP_MEMORY.remedy());
  }

  private static String ofMachine(long machine) {
    return machine == Long.MAX_VALUE ? "" : "; the machine has " + Sizes.text(machine);
  }

  private static String used(SystemFiles files) {
    return folders(files, UNIFIED, "/sys/fs/cgroup", "memory.current")
        .or(() -> folders(files, LEGACY, "/sys/fs/cgroup/memory", "memory.usage_in_bytes"))
        .map(bytes -> ", " + Sizes.text(bytes) + " used, page cache included")
        .orElse("");
  }

  /**
   * What the process's own cgroup says, or in a container whose files begin at its own, the top.
   */
  private static Optional<Long> folders(SystemFiles files, Pattern own, String top, String file) {
    return files
        .match("/proc/self/cgroup", own)
        .flatMap(path -> files.number(top + path + "/" + file))
        .or(() -> files.number(top + "/" + file));
  }

  private static List<Long> limits(SystemFiles files) {
    List<Long> found = new ArrayList<>();
    collect(files, UNIFIED, "/sys/fs/cgroup", "memory.max", found);
    collect(files, LEGACY, "/sys/fs/cgroup/memory", "memory.limit_in_bytes", found);
    return found;
  }

  /** From the process's own cgroup up to the top: the least of all counts. */
  private static void collect(
      SystemFiles files, Pattern own, String top, String file, List<Long> found) {
    Path path = Path.of(files.match("/proc/self/cgroup", own).orElse("/")).normalize();
    for (Path each = path; each != null; each = each.getParent()) {
      files.number(top + each + "/" + file).ifPresent(found::add);
    }
  }
}
