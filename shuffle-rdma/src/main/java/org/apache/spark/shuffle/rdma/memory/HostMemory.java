package org.apache.spark.shuffle.rdma.memory;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What this process may have of the machine's memory, in bytes.
 *
 * @param system the machine's memory, or the cgroup's limit if that's less
 * @param limited whether it's a cgroup's limit
 * @param memlock RLIMIT_MEMLOCK; Long.MAX_VALUE if there's none or CAP_IPC_LOCK lifts it
 */
public record HostMemory(long system, boolean limited, long memlock) {

  private static final Pattern MEM_TOTAL = Pattern.compile("(?m)^MemTotal:\\s+(\\d+) kB");
  private static final Pattern MEMLOCK = Pattern.compile("(?m)^Max locked memory\\s+(\\S+)");
  private static final Pattern CAPABILITIES = Pattern.compile("(?m)^CapEff:\\s+([0-9a-f]{1,16})$");
  private static final int CAP_IPC_LOCK = 14;

  /** Reads it. What can't be read is taken for no limit. */
  public static HostMemory read() {
    long system =
        ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getTotalMemorySize();
    String meminfo = content("/proc/meminfo");
    Matcher total = MEM_TOTAL.matcher(meminfo);
    boolean limited = total.find() && system < Long.parseLong(total.group(1)) << 10;
    return new HostMemory(
        system, limited, memlock(content("/proc/self/limits"), content("/proc/self/status")));
  }

  static long memlock(String limits, String status) {
    if (mayLockAll(status)) {
      return Long.MAX_VALUE;
    }
    Matcher soft = MEMLOCK.matcher(limits);
    return soft.find() && !soft.group(1).equals("unlimited")
        ? Long.parseLong(soft.group(1))
        : Long.MAX_VALUE;
  }

  /**
   * Whether the capability IPC_LOCK lifts the limit of locked memory.
   *
   * @param status the text of /proc/self/status
   */
  public static boolean mayLockAll(String status) {
    Matcher capabilities = CAPABILITIES.matcher(status);
    return capabilities.find()
        && (Long.parseUnsignedLong(capabilities.group(1), 16) >> CAP_IPC_LOCK & 1) == 1;
  }

  private static String content(String path) {
    try {
      return Files.readString(Path.of(path));
    } catch (IOException e) {
      return "";
    }
  }
}
