package org.sparkrdma.verbs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** What the kernel says about this process's locked memory, for error messages. */
final class LockedMemory {
  private LockedMemory() {}

  /** The limit and what is pinned now, in the kernel's own words and units. */
  static String describe() {
    return "limit of locked memory (ulimit -l, cgroup, LimitMEMLOCK=): "
        + line("/proc/self/limits", "Max locked memory")
        + ", pinned now: "
        + line("/proc/self/status", "VmPin:");
  }

  private static String line(String file, String start) {
    try {
      List<String> lines = Files.readAllLines(Path.of(file));
      return lines.stream()
          .filter(line -> line.startsWith(start))
          .map(line -> line.substring(start.length()).strip().replaceAll("\\s+", " "))
          .findFirst()
          .orElse("unknown");
    } catch (IOException e) {
      return "unknown";
    }
  }
}
