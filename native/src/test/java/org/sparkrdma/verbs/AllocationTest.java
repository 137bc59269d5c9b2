package org.sparkrdma.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Posting and polling leave no work to the garbage collector. */
@VerbsTest
final class AllocationTest {
  private static final int READS = 2_000;

  private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  @Test
  void readsAllocateNothing() {
    try (Pair pair = Pair.connect();
        WorkRequestList list = new WorkRequestList(4)) {
      MemoryRegion source = pair.serverEnd.filled(4096, 1, Set.of(Access.REMOTE_READ));
      MemoryRegion sink = pair.clientEnd.region(4096, pair.clientEnd.sink());
      read(pair, list, source, sink);
      long before = threads.getCurrentThreadAllocatedBytes();
      read(pair, list, source, sink);
      long allocated = threads.getCurrentThreadAllocatedBytes() - before;
      // What the JVM does once in a while, such as linking a call, is allowed.
      assertTrue(allocated < READS, allocated + " bytes for " + READS + " lists of reads");
    }
  }

  private static void read(
      Pair pair, WorkRequestList list, MemoryRegion source, MemoryRegion sink) {
    CompletionQueue queue = pair.clientEnd.completions;
    CompletionBuffer buffer = pair.clientEnd.buffer;
    QueuePair queuePair = pair.client.queuePair();
    for (int i = 0; i < READS; i++) {
      list.clear();
      list.addRead(1, SendFlag.NONE, sink, 0, 64, source.address(), source.remoteKey());
      list.addRead(2, SendFlag.SIGNALED, sink, 64, 64, source.address(), source.remoteKey());
      queuePair.post(list);
      queue.requestNotification();
      while (queue.poll(buffer) == 0) {
        Thread.onSpinWait();
      }
      assertEquals(2L, buffer.id(0));
      buffer.requireSuccess(0);
    }
  }
}
