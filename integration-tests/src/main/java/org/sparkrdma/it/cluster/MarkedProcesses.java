package org.sparkrdma.it.cluster;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;

/**
 * All processes that inherited one environment variable. It finds what a walk over children can't:
 * executors whose worker is already gone. Linux only, like the product.
 *
 * <p>A guard process watches over them: when the process that made this dies without closing it,
 * even by SIGKILL, the guard ends the marked processes and removes the folder.
 */
final class MarkedProcesses implements AutoCloseable {

  static final String VARIABLE = "SPARK_RDMA_TEST_CLUSTER";

  private static final Duration POLITE = Duration.ofSeconds(5);
  private static final Duration FORCED = Duration.ofSeconds(10);

  /** Blocks on standard input, which ends with the process at its other end. */
  private static final String GUARD =
      """
      trap '' INT TERM HUP
      cat > /dev/null
      for round in 1 2 3; do
        for p in /proc/[0-9]*; do
          if grep -qzxF "$1" "$p/environ" 2> /dev/null; then kill -9 "${p#/proc/}"; fi
        done
        sleep 0.2
      done
      if [ -n "$2" ]; then rm -rf -- "$2"; fi
      """;

  private final String mark = UUID.randomUUID().toString();
  private final Process guard;

  /**
   * Starts the guard.
   *
   * @param removed the folder that the guard removes; empty for none
   */
  MarkedProcesses(String removed) throws IOException {
    guard =
        new ProcessBuilder("/bin/sh", "-c", GUARD, "guard", VARIABLE + "=" + mark, removed)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
  }

  /** The value that the processes must have in {@link #VARIABLE}. */
  String mark() {
    return mark;
  }

  /** Those alive now. */
  List<ProcessHandle> find() {
    byte[] entry = (VARIABLE + "=" + mark).getBytes(StandardCharsets.UTF_8);
    String wanted = new String(entry, StandardCharsets.ISO_8859_1);
    List<ProcessHandle> found = new ArrayList<>();
    try (Stream<ProcessHandle> all = ProcessHandle.allProcesses()) {
      all.filter(process -> environment(process).contains(wanted)).forEach(found::add);
    }
    return found;
  }

  private static String environment(ProcessHandle process) {
    try {
      Path file = Path.of("/proc", Long.toString(process.pid()), "environ");
      return new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1);
    } catch (IOException e) {
      // Gone meanwhile, or another user's.
      return "";
    }
  }

  /**
   * Ends all of them: asks first, then forces. A process that is just ending has no environment to
   * be found by any more, but is waited for.
   *
   * @throws ClusterException if some are still there, which names them
   */
  @Override
  public void close() throws IOException {
    boolean interrupted = Thread.interrupted();
    try {
      Set<ProcessHandle> known = new HashSet<>(find());
      known.forEach(ProcessHandle::destroy);
      long start = System.nanoTime();
      List<ProcessHandle> left = find();
      while (!left.isEmpty() || known.stream().anyMatch(ProcessHandle::isAlive)) {
        known.addAll(left);
        long waited = System.nanoTime() - start;
        if (left.isEmpty() && waited > FORCED.toNanos()) {
          // Ended, and only waiting for a parent that doesn't ask how.
          return;
        }
        if (waited > POLITE.toNanos()) {
          left.forEach(ProcessHandle::destroyForcibly);
        }
        if (waited > FORCED.toNanos()) {
          throw new ClusterException("processes that can't be ended: " + left);
        }
        interrupted |= pause();
        left = find();
      }
    } finally {
      guard.destroyForcibly();
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Returns whether the pause was cut short: what follows must still be cleaned up. */
  private static boolean pause() {
    try {
      Thread.sleep(50);
      return false;
    } catch (InterruptedException e) {
      return true;
    }
  }
}
