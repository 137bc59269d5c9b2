package org.sparkrdma.it.jobs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What an executor's process has.
 *
 * @param shuffleMappings mapped shuffle files
 */
record ExecutorResources(long pid, long shuffleMappings, long descriptors, long threads) {

  /**
   * Threads and descriptors that Spark itself may have more of; a leak per shuffle is far above.
   */
  private static final int NOISE = 20;

  private static final long DEADLINE_MILLIS = 60_000;

  /** Of each of two executors, by process id. */
  static Map<Long, ExecutorResources> all(TestApplication application) {
    Map<Long, ExecutorResources> byProcess = new TreeMap<>();
    while (byProcess.size() < 2) {
      application
          .context
          .parallelize(List.of(1, 2, 3, 4), 4)
          .map(i -> here())
          .collect()
          .forEach(
              text -> {
                ExecutorResources found = parse(text);
                byProcess.put(found.pid, found);
              });
    }
    return byProcess;
  }

  /**
   * Waits until no shuffle file is mapped. What ends is released one lease and two and a half read
   * deadlines later.
   */
  static Map<Long, ExecutorResources> awaitReleased(TestApplication application) throws Exception {
    long deadline = System.currentTimeMillis() + DEADLINE_MILLIS;
    Map<Long, ExecutorResources> found = all(application);
    while (found.values().stream().anyMatch(executor -> executor.shuffleMappings > 0)
        && System.currentTimeMillis() < deadline) {
      Thread.sleep(100);
      found = all(application);
    }
    return found;
  }

  /** That executors have no mapping, and no more else than those that were there before. */
  static void assertNothingLeft(
      Map<Long, ExecutorResources> before, Map<Long, ExecutorResources> after) {
    String both = "before " + before + ", after " + after;
    System.out.println(both);
    assertEquals(2, after.size());
    after.forEach(
        (pid, now) -> {
          assertEquals(0, now.shuffleMappings, both);
          ExecutorResources then = before.get(pid);
          if (then != null) {
            assertTrue(now.descriptors <= then.descriptors + NOISE, both);
            assertTrue(now.threads <= then.threads + NOISE, both);
          }
        });
  }

  private static String here() throws IOException {
    try (var maps = Files.lines(Path.of("/proc/self/maps"))) {
      return String.join(
          " ",
          Long.toString(ProcessHandle.current().pid()),
          Long.toString(maps.filter(line -> line.contains("/shuffle_")).count()),
          Integer.toString(count("/proc/self/fd")),
          Long.toString(ownThreads()));
    }
  }

  /** Without those by which Spark's block manager removes shuffles: up to 128, idle for 60 s. */
  private static long ownThreads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> !thread.getName().startsWith("block-manager-storage-async"))
        .count();
  }

  private static int count(String folder) {
    String[] names = new File(folder).list();
    return names == null ? 0 : names.length;
  }

  private static ExecutorResources parse(String text) {
    String[] parts = text.split(" ", -1);
    return new ExecutorResources(
        Long.parseLong(parts[0]),
        Long.parseLong(parts[1]),
        Long.parseLong(parts[2]),
        Long.parseLong(parts[3]));
  }
}
