package org.apache.spark.shuffle.rdma;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.channel.FileRegion;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.Channels;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.apache.spark.network.buffer.FileSegmentManagedBuffer;
import org.apache.spark.network.buffer.ManagedBuffer;
import org.apache.spark.network.util.MapConfigProvider;
import org.apache.spark.network.util.TransportConf;
import org.apache.spark.shuffle.rdma.fabric.Fabric;
import org.apache.spark.shuffle.rdma.fabric.software.SoftwareFabric;
import org.apache.spark.shuffle.rdma.fabric.software.SoftwareOptions;
import org.apache.spark.shuffle.rdma.memory.Absence;
import org.apache.spark.shuffle.rdma.memory.LocalBlock;
import org.apache.spark.shuffle.rdma.memory.LocalDirectories;
import org.apache.spark.shuffle.rdma.memory.OutputLocation;
import org.apache.spark.shuffle.rdma.memory.OutputRegistry;
import org.apache.spark.shuffle.rdma.memory.PinBudget;
import org.apache.spark.shuffle.rdma.metrics.Counter;
import org.apache.spark.shuffle.rdma.metrics.Counters;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class MappedManagedBufferTest {

  /** Too large to be copied. */
  private static final int FIRST = 100_000;

  private static final int SECOND = 30_000;

  @TempDir private Path directory;
  private final Counters counters = new Counters();
  private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
  private Path file;
  private byte[] second;
  private Fabric fabric;
  private OutputRegistry registry;
  private MappedManagedBuffer buffer;

  @BeforeEach
  void register() throws IOException {
    byte[] bytes = new byte[FIRST + SECOND];
    new Random(1).nextBytes(bytes);
    second = Arrays.copyOfRange(bytes, FIRST, FIRST + SECOND);
    file = Files.write(directory.resolve("output"), bytes);
    fabric =
        SoftwareFabric.start(new SoftwareOptions("127.0.0.1", true, false, 5000, null, "owner"));
    registry =
        new OutputRegistry(
            fabric,
            new PinBudget(PinBudget.UNLIMITED, PinBudget.UNLIMITED, counters),
            LocalDirectories.probe(List.of(directory), fabric),
            counters,
            timer,
            new OutputRegistry.Limits(10, 1),
            System::nanoTime,
            new OutputRegistry.Publisher() {
              @Override
              public void published(OutputLocation location) {}

              @Override
              public void absent(int shuffleId, Absence absence, long... mapIds) {}
            });
    assertNotNull(registry.register(1, 2, file, new long[] {FIRST, SECOND}));
    LocalBlock block = Objects.requireNonNull(registry.find(1, 2, 1, 2));
    TransportConf transport = new TransportConf("shuffle", MapConfigProvider.EMPTY);
    buffer =
        new MappedManagedBuffer(
            block,
            () ->
                new FileSegmentManagedBuffer(
                    transport, file.toFile(), block.offset(), block.length()),
            counters);
  }

  @AfterEach
  void close() {
    registry.close();
    fabric.close();
    timer.shutdownNow();
  }

  /** As Spark's reader of local blocks does it. */
  @Test
  void aReadersStreamHasTheBlocksBytesFromTheMapping() throws Exception {
    assertEquals(SECOND, buffer.size());
    ManagedBuffer retained = buffer.retain();
    try (InputStream stream = retained.createInputStream()) {
      assertArrayEquals(second, stream.readAllBytes());
    }
    retained.release();
    assertEquals(1, counters.get(Counter.BLOCKS_FROM_MAPPING));
    unregister();
    assertFalse(isMapped());
  }

  /** As Spark's server does it, which never retains. */
  @Test
  void aMessageHasTheBlocksBytesUntilNettyReleasesIt() throws Exception {
    FileRegion region = assertInstanceOf(MappedFileRegion.class, buffer.convertToNetty());
    buffer.release();
    unregister();
    assertTrue(isMapped());
    assertEquals(SECOND, region.count());
    ByteArrayOutputStream sent = new ByteArrayOutputStream();
    WritableByteChannel channel = Channels.newChannel(sent);
    // From anywhere: a full socket takes a part.
    assertEquals(SECOND - 100, region.transferTo(channel, 100));
    assertArrayEquals(Arrays.copyOfRange(second, 100, SECOND), sent.toByteArray());
    assertEquals(SECOND - 100, region.transferred());
    region.release();
    assertFalse(isMapped());
  }

  @Test
  void aStreamThatNobodyClosesEndsWithTheLastReference() throws Exception {
    buffer.retain();
    assertEquals(second[0], (byte) buffer.createInputStream().read());
    unregister();
    assertTrue(isMapped());
    buffer.release();
    assertFalse(isMapped());
  }

  @Test
  void aBlockOfAnOutputThatWasReleasedComesFromItsFile() throws Exception {
    unregister();
    try (InputStream stream = buffer.createInputStream()) {
      assertArrayEquals(second, stream.readAllBytes());
    }
    assertFalse(buffer.convertToNetty() instanceof MappedFileRegion);
    assertEquals(0, counters.get(Counter.BLOCKS_FROM_MAPPING));
  }

  @Test
  void aFileThatIsGoneFailsTheReadAndNotTheOpening() throws Exception {
    unregister();
    Files.delete(file);
    try (InputStream stream = buffer.createInputStream()) {
      assertThrows(IOException.class, () -> stream.read(new byte[10]));
    }
  }

  private void unregister() throws InterruptedException {
    registry.unregisterShuffle(1);
    while (counters.get(Counter.OUTPUTS_RELEASED) == 0) {
      Thread.sleep(1);
    }
  }

  private boolean isMapped() throws IOException {
    String path = Objects.requireNonNull(file.toRealPath()).toString();
    try (var lines = Files.lines(Path.of("/proc/self/maps"))) {
      return lines.anyMatch(line -> line.endsWith(path));
    }
  }
}
