package org.sparkrdma.bench.scale;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.lang.management.ThreadMXBean;

/** Reads this process's clocks and heap. */
final class Meter {

  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
  private static final MemoryMXBean MEMORY = ManagementFactory.getMemoryMXBean();
  private static final OperatingSystemMXBean PROCESS =
      ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);

  private Meter() {}

  /** CPU time of the calling thread. */
  static long threadNanos() {
    return THREADS.getCurrentThreadCpuTime();
  }

  /** CPU time of all threads, the collector's and the compiler's included. */
  static long processNanos() {
    return PROCESS.getProcessCpuTime();
  }

  /** Bytes of the heap that something still refers to. */
  @SuppressWarnings("ExplicitGC") // What is left after a collection is the figure.
  static long heapBytes() {
    System.gc();
    System.gc();
    return MEMORY.getHeapMemoryUsage().getUsed();
  }
}
