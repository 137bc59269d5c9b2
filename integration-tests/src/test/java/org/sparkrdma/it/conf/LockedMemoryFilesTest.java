package org.sparkrdma.it.conf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The two files that raise the limit of locked memory. */
final class LockedMemoryFilesTest {

  private static final Path SYSTEMD_ANALYZE = Path.of("/usr/bin/systemd-analyze");

  @TempDir private Path directory;

  /** As limits.conf(5) has it: domain, soft or hard or both, item, value. */
  @Test
  void limitsLiftBothLimitsOfOneUser() throws IOException {
    List<List<String>> lines =
        lines(ConfFile.text("limits.d/spark-rdma.conf"))
            .map(line -> List.of(line.split("\\s+")))
            .toList();
    assertEquals(
        List.of(
            List.of("spark", "soft", "memlock", "unlimited"),
            List.of("spark", "hard", "memlock", "unlimited")),
        lines);
  }

  @Test
  void theDropInLiftsTheLimitOfAService() throws IOException {
    assertEquals(
        List.of("[Service]", "LimitMEMLOCK=infinity"),
        lines(ConfFile.text("systemd/rdma.conf")).toList());
  }

  @Test
  void systemdTakesTheDropIn() throws Exception {
    assumeTrue(Files.isExecutable(SYSTEMD_ANALYZE), "no systemd-analyze on this machine");
    String dropIn = ConfFile.text("systemd/rdma.conf");
    assertFalse(complaints(dropIn).contains("rdma.conf"), () -> "systemd complains of the file");
    // It does complain of what it doesn't know.
    assertTrue(complaints(dropIn.replace("MEMLOCK=", "MEMLOK=")).contains("rdma.conf"));
  }

  private String complaints(String dropIn) throws IOException, InterruptedException {
    Path unit = directory.resolve("spark-worker.service");
    Files.writeString(unit, "[Service]\nExecStart=/bin/true\n");
    Path folder = Files.createDirectories(directory.resolve("spark-worker.service.d"));
    Files.writeString(folder.resolve("rdma.conf"), dropIn);
    Process analysis =
        new ProcessBuilder(SYSTEMD_ANALYZE.toString(), "verify", unit.toString())
            .redirectErrorStream(true)
            .start();
    String output = new String(analysis.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    analysis.waitFor();
    return output;
  }

  private static Stream<String> lines(String text) {
    return text.lines().map(String::strip).filter(l -> !l.isEmpty() && !l.startsWith("#"));
  }
}
