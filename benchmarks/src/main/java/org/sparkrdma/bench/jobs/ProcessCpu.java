package org.sparkrdma.bench.jobs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Processor time of processes of this machine, of all their threads: tasks', Netty's, the shuffle
 * manager's, the collector's and the compiler's. Any thread.
 *
 * @param pids whose
 */
record ProcessCpu(List<Long> pids) {

  /** The clock ticks of /proc, USER_HZ: 100 a second on every machine that Java 25 runs on. */
  private static final long MILLIS_PER_TICK = 10;

  ProcessCpu {
    pids = List.copyOf(pids);
  }

  /**
   * User and system time since their starts, together.
   *
   * @throws UncheckedIOException if one has ended
   */
  long millis() {
    return pids.stream().mapToLong(ProcessCpu::millis).sum();
  }

  private static long millis(long pid) {
    try {
      return millis(Files.readString(Path.of("/proc", Long.toString(pid), "stat")));
    } catch (IOException e) {
      throw new UncheckedIOException("process " + pid + " can't be measured", e);
    }
  }

  /** Of the content of a file of proc_pid_stat(5): its fields 14 and 15. */
  static long millis(String stat) {
    // The second field, the command, is in parentheses and may have spaces.
    List<String> fields = List.of(stat.substring(stat.lastIndexOf(')') + 2).split(" "));
    return (Long.parseLong(fields.get(11)) + Long.parseLong(fields.get(12))) * MILLIS_PER_TICK;
  }
}
