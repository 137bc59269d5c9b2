package org.sparkrdma.it.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The demo as its script starts it, with the jar that users get. */
final class DemoIT {

  private static final List<String> PROPERTIES =
      List.of("sparkrdma.it.sparkHome", "sparkrdma.it.workloadsJar", "sparkrdma.it.shuffleJar");

  @TempDir private Path directory;

  @Test
  void sortsRightWithEveryRemoteBlockByRead() throws Exception {
    File output = directory.resolve("output").toFile();
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-Djava.io.tmpdir=" + directory);
    for (String property : PROPERTIES) {
      command.add("-D" + property + "=" + System.getProperty(property));
    }
    command.add("-jar");
    command.add(Objects.requireNonNull(System.getProperty("sparkrdma.it.workloadsJar")));
    command.add("5");
    Process demo =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output).start();
    demo.getOutputStream().close();
    try {
      assertTrue(demo.waitFor(10, TimeUnit.MINUTES), "the demo hangs");
    } finally {
      demo.destroy();
    }
    List<String> lines = Files.readAllLines(output.toPath());
    assertEquals(0, demo.exitValue(), () -> String.join("\n", lines));
    String last = lines.getLast();
    assertTrue(
        last.matches(
            "RESULT validated=true records=50000 read_blocks=[1-9][0-9]* tcp_blocks=0"
                + " read_bytes=[1-9][0-9]* sort_seconds=[0-9.]+ rdma_seconds=[0-9.]+"),
        last);
  }
}
