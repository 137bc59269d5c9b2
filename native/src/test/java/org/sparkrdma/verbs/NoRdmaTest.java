package org.sparkrdma.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sparkrdma.verbs.RdmaUnavailableException.Reason;

/** Machines on which RDMA can't be used say why, and what would help. */
final class NoRdmaTest {
  /** Prints what listing the devices comes to; run in a JVM of its own. */
  static final class Probe {
    private Probe() {}

    public static void main(String[] args) {
      try {
        System.out.println("devices " + Devices.list());
      } catch (RdmaUnavailableException e) {
        System.out.println(e.reason() + " " + e.getMessage());
        RdmaUnavailableException again =
            RdmaLibrary.unavailable().orElseThrow(() -> new AssertionError("available", e));
        System.out.println("again " + again.reason());
      }
    }
  }

  @Test
  void missingLibraryIsATypedReason(@TempDir Path folder) throws Exception {
    // The loader takes the first file of this name that it finds, and this is none.
    Files.writeString(folder.resolve("librdmacm.so.1"), "not a library");
    String output = probe(folder);
    assertTrue(output.startsWith("LIBRARY_MISSING "), output);
    assertTrue(output.contains("librdmacm1"), output);
    assertTrue(output.contains("again LIBRARY_MISSING"), output);
  }

  @Test
  void libraryWithOtherStructuresIsATypedReason(@TempDir Path folder) throws Exception {
    assumeTrue(RdmaLibrary.unavailable().isEmpty(), "libibverbs or librdmacm is not installed");
    byte[] library = Files.readAllBytes(loaded("libibverbs.so.1"));
    // ibv_get_device_name of x86-64: the name is 24 bytes into ibv_device, and from here on 32.
    byte[] code = {0x48, (byte) 0x8d, 0x47, 0x18, (byte) 0xc3};
    List<Integer> places =
        IntStream.range(0, library.length - code.length)
            .filter(i -> Arrays.equals(library, i, i + code.length, code, 0, code.length))
            .boxed()
            .toList();
    assumeTrue(places.size() == 1, "this libibverbs is compiled in another way: " + places);
    library[places.getFirst() + 3] = 32;
    Files.write(folder.resolve("libibverbs.so.1"), library);
    String output = probe(folder);
    assertTrue(output.startsWith("LIBRARY_MISMATCH "), output);
    assertTrue(output.contains("ibv_device") && output.contains("rdma-core 17"), output);
    assertTrue(output.contains("again LIBRARY_MISMATCH"), output);
  }

  private static Path loaded(String library) throws IOException {
    return Files.readAllLines(Path.of("/proc/self/maps")).stream()
        .filter(line -> line.contains("/" + library))
        .map(line -> Path.of(line.substring(line.indexOf('/'))))
        .findFirst()
        .orElseThrow();
  }

  private static String probe(Path libraries) throws IOException, InterruptedException {
    ProcessBuilder builder = new ProcessBuilder(ChildJvm.command(Probe.class));
    builder.environment().put("LD_LIBRARY_PATH", libraries.toString());
    return ChildJvm.run(builder);
  }

  @Test
  void kernelWithoutRdmaIsATypedReason() {
    assumeTrue(RdmaLibrary.unavailable().isEmpty(), "libibverbs or librdmacm is not installed");
    assumeFalse(Files.exists(Path.of("/sys/class/infiniband_verbs")), "this kernel has RDMA");
    for (org.junit.jupiter.api.function.Executable entry :
        new org.junit.jupiter.api.function.Executable[] {
          Devices::list, () -> Devices.open("rxe0").close(), () -> ConnectionManager.open().close()
        }) {
      RdmaUnavailableException error = assertThrows(RdmaUnavailableException.class, entry);
      assertEquals(Reason.KERNEL_WITHOUT_RDMA, error.reason());
      assertTrue(error.getMessage().contains("modprobe"), error.getMessage());
    }
  }
}
