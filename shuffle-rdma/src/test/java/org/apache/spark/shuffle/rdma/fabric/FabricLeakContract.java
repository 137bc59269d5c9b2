package org.apache.spark.shuffle.rdma.fabric;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Nothing stays behind a closed fabric: no thread, no descriptor, no mapping. */
public abstract class FabricLeakContract extends FabricHarness {

  private static final int CYCLES = 30;

  @Test
  void leavesNoThreadNorDescriptorBehind() throws Exception {
    // Of other tests in this JVM, which keep a fabric for all their inputs.
    Set<Thread> others = Set.copyOf(Thread.getAllStackTraces().keySet());
    for (int i = 0; i < 5; i++) {
      cycle(); // What the JDK keeps for itself is there after these.
    }
    long descriptors = count("/proc/self/fd");
    long tasks = count("/proc/self/task");
    for (int i = 0; i < CYCLES; i++) {
      cycle();
    }
    // One leak per cycle would be 30 and more; the JDK's own few may come and go.
    long descriptorsNow = count("/proc/self/fd");
    long tasksNow = count("/proc/self/task");
    assertTrue(
        descriptorsNow < descriptors + CYCLES / 2, descriptors + " fds, then " + descriptorsNow);
    assertTrue(tasksNow < tasks + CYCLES / 2, tasks + " tasks, then " + tasksNow);
    List<String> left = fabricThreadsBut(others);
    assertTrue(left.isEmpty(), () -> "still there: " + left);
  }

  /** Starts two fabrics, uses them, closes them. */
  protected void cycle() throws Exception {
    try (Fabric server = newFabric("server");
        Fabric client = newFabric("client")) {
      Region from = remote(server, 1 << 16);
      Region to = local(client, 1 << 16);
      List<Connection> connections = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        connections.add(connect(client, server.address()));
        succeed(connections.getLast(), List.of(read(from, to, 0, 1 << 16)));
      }
      connections.getFirst().close();
      connectFailure(client, new byte[3]);
    }
  }

  private static List<String> fabricThreadsBut(Set<Thread> others) {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> !others.contains(thread))
        .map(Thread::getName)
        .filter(name -> name.startsWith("rdma-"))
        .toList();
  }

  private static long count(String directory) throws IOException {
    try (Stream<Path> entries = Files.list(Path.of(directory))) {
      return entries.count();
    }
  }
}
