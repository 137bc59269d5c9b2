package org.sparkrdma.verbs;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.sparkrdma.verbs.Access.REMOTE_READ;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The kernel holds as many objects after closing as before opening. */
@VerbsTest
final class KernelResourcesTest {
  private static final Path RDMA = Path.of("/usr/bin/rdma");

  @Test
  void countsAreTheSameBeforeAndAfter() throws Exception {
    assumeTrue(Files.isExecutable(RDMA), "iproute2's rdma is not installed");
    useAll();
    String before = counts();
    for (int i = 0; i < 3; i++) {
      useAll();
    }
    // Queue pairs of closed connections linger for a moment.
    for (int i = 0; i < 50 && !counts().equals(before); i++) {
      Thread.sleep(100);
    }
    assertEquals(before, counts());
  }

  private static void useAll() {
    try (Pair pair = Pair.connect();
        WorkRequestList list = new WorkRequestList(1)) {
      MemoryRegion source = pair.serverEnd.filled(4096, 1, Set.of(REMOTE_READ));
      MemoryRegion sink = pair.clientEnd.region(4096, pair.clientEnd.sink());
      list.addRead(1, SendFlag.SIGNALED, sink, 0, 4096, source.address(), source.remoteKey());
      pair.client.queuePair().post(list);
      assertEquals(CompletionStatus.SUCCESS, pair.clientEnd.await(1).getFirst().status());
    }
  }

  /** A line for each device: its PDs, CQs, QPs, MRs, CM identifiers and contexts. */
  private static String counts() throws IOException, InterruptedException {
    Process process = new ProcessBuilder(RDMA.toString(), "resource", "show").start();
    String output = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertEquals(0, process.waitFor());
    return output;
  }
}
