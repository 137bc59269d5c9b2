package org.apache.spark.shuffle.rdma.fabric.verbs;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.apache.spark.shuffle.rdma.fabric.Fabric;
import org.apache.spark.shuffle.rdma.memory.Absence;
import org.apache.spark.shuffle.rdma.memory.LocalDirectories;
import org.apache.spark.shuffle.rdma.memory.OutputLocation;
import org.apache.spark.shuffle.rdma.memory.OutputRegistry;
import org.apache.spark.shuffle.rdma.memory.PinBudget;
import org.apache.spark.shuffle.rdma.metrics.Counter;
import org.apache.spark.shuffle.rdma.metrics.Counters;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Of several local directories, those whose files can be pinned are used, whatever the others. */
@InTestKernel
final class DirectoryProbeTest {

  private static final int BYTES = 100_000;

  @TempDir private Path folder;
  private final Counters counters = new Counters();

  @Test
  void aFullOneAndAReadOnlyOneAreRefusedAndTheOthersUsed() throws Exception {
    Path ext4 = Files.createTempDirectory(Path.of(System.getenv("RDMA_TEST_EXT4")), "probe");
    Path tmpfs = mount("tmpfs", "size=1m");
    Path full = mount("tmpfs", "size=16k");
    fill(full);
    Path readOnly = mount("tmpfs", "size=1m");
    run("mount", "-o", "remount,ro", readOnly.toString());
    Path cannotBeMapped = Path.of("/proc/self");
    try {
      trying(
          List.of(ext4, full, readOnly, tmpfs, cannotBeMapped),
          registry -> {
            assertNotNull(register(registry, 1, ext4));
            assertNotNull(register(registry, 2, tmpfs));
            // There's room now, but not when it was tried.
            Files.delete(full.resolve("filler"));
            run("mount", "-o", "remount,rw,size=1m", full.toString());
            run("mount", "-o", "remount,rw", readOnly.toString());
            assertNull(register(registry, 3, full));
            assertNull(register(registry, 4, readOnly));
          });
      assertEquals(2, counters.get(Counter.OUTPUTS_REGISTERED));
      assertEquals(2, counters.get(Counter.OUTPUTS_NOT_REGISTERED));
    } finally {
      for (Path mounted : List.of(tmpfs, full, readOnly)) {
        run("umount", mounted.toString());
      }
    }
  }

  /** One that goes by the page cache can be pinned; one that doesn't can't even be mapped. */
  @Test
  void aFuseFileSystemIsUsedUnlessItPassesThePageCacheBy() throws Exception {
    assumeTrue(
        Files.exists(Path.of("/dev/fuse")) || System.getenv("RDMA_TEST_KERNEL") == null,
        "the kernel in RDMA_TEST_KERNEL has no FUSE");
    Path cached = mountFuse("cached", "rw");
    Path direct = mountFuse("direct", "direct_io");
    try {
      trying(
          List.of(cached, direct),
          registry -> {
            assertNotNull(register(registry, 1, cached));
            assertNull(register(registry, 2, direct));
          });
      assertEquals(1, counters.get(Counter.OUTPUTS_REGISTERED));
      assertEquals(1, counters.get(Counter.OUTPUTS_NOT_REGISTERED));
    } finally {
      run("umount", cached.toString());
      run("umount", direct.toString());
    }
  }

  private interface Body {
    void with(OutputRegistry registry) throws Exception;
  }

  private void trying(List<Path> directories, Body body) throws Exception {
    ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
    try (Fabric fabric = Verbs.start("owner");
        OutputRegistry registry =
            new OutputRegistry(
                fabric,
                new PinBudget(PinBudget.UNLIMITED, PinBudget.UNLIMITED, counters),
                LocalDirectories.probe(directories, fabric),
                counters,
                timer,
                new OutputRegistry.Limits(10, 1),
                System::nanoTime,
                new Nobody())) {
      body.with(registry);
    } finally {
      timer.shutdownNow();
    }
  }

  private static @Nullable OutputLocation register(
      OutputRegistry registry, long mapId, Path directory) throws IOException {
    Path file = Files.write(directory.resolve("output"), new byte[BYTES]);
    return registry.register(1, mapId, file, new long[] {BYTES});
  }

  private Path mount(String type, String options) throws Exception {
    Path directory = Files.createTempDirectory(folder, type);
    run("mount", "-t", type, "-o", options, type, directory.toString());
    return directory;
  }

  private Path mountFuse(String name, String options) throws Exception {
    Path image = folder.resolve(name + ".image");
    run("truncate", "--size", "8M", image.toString());
    run("mkfs.ext4", "-q", "-F", image.toString());
    Path directory = Files.createDirectory(folder.resolve(name));
    run("fuse2fs", "-o", options, image.toString(), directory.toString());
    assertTrue(Files.getFileStore(directory).type().startsWith("fuse"));
    return directory;
  }

  private static void fill(Path directory) throws IOException {
    try (var out = Files.newOutputStream(directory.resolve("filler"))) {
      byte[] page = new byte[4096];
      while (true) {
        out.write(page);
      }
    } catch (IOException e) {
      // Full.
    }
  }

  private static void run(String... command) throws Exception {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertEquals(0, process.waitFor(), output);
  }

  private static final class Nobody implements OutputRegistry.Publisher {
    @Override
    public void published(OutputLocation location) {}

    @Override
    public void absent(int shuffleId, Absence absence, long... mapIds) {}
  }
}
