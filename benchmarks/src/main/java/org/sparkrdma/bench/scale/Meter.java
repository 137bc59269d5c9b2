package org.sparkrdma.bench.scale;

import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.lang.management.ThreadMXBean;

/** Reads the calling thread's clock and this process's heap. */
final class Meter {

  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
  private static final MemoryMXBean MEMORY = ManagementFactory.getMemoryMXBean();

  private Meter() {}

  /** CPU time of the calling thread. */
  static long threadNanos() {
    return THREADS.getCurrentThreadCpuTime();
  }

  /** Bytes of the heap that something still refers to. */
  @SuppressWarnings("ExplicitGC") // What is left after a collection is the figure.
  static long heapBytes() {
    System.gc();
    System.gc();
    return MEMORY.getHeapMemoryUsage().getUsed();
  }
}
