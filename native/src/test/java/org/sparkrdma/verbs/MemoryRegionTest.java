package org.sparkrdma.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.sparkrdma.verbs.Access.LOCAL_WRITE;
import static org.sparkrdma.verbs.Access.RELAXED_ORDERING;
import static org.sparkrdma.verbs.Access.REMOTE_READ;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Regions over each kind of memory; that a peer reads from them what is there. */
@VerbsTest
final class MemoryRegionTest {
  private static final int SIZE = 300_000;

  private Pair pair;
  private End server;

  @BeforeEach
  void connect() {
    pair = Pair.connect();
    server = pair.serverEnd;
  }

  @AfterEach
  void close() {
    pair.close();
  }

  @Test
  void anonymousMemory() {
    readBack(server.filled(SIZE, 1, Set.of(REMOTE_READ)), 0, SIZE);
    readBack(server.filled(SIZE, 2, Set.of(REMOTE_READ, LOCAL_WRITE)), 77, 4321);
    readBack(server.filled(1, 3, Set.of(REMOTE_READ)), 0, 1);
  }

  @Test
  void relaxedOrderingIsTakenOrIgnored() {
    readBack(server.filled(SIZE, 1, Set.of(REMOTE_READ, RELAXED_ORDERING)), 0, SIZE);
  }

  @Test
  void fileOnTmpfs() throws IOException {
    file(Path.of("/dev/shm"));
  }

  @Test
  void fileOnExt4() throws IOException {
    file(Path.of(TestNetwork.ext4().orElse(System.getProperty("java.io.tmpdir"))));
  }

  private void file(Path folder) throws IOException {
    Path file = Files.createTempFile(folder, "region", ".data");
    try (Arena arena = Arena.ofShared();
        FileChannel channel =
            FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      byte[] bytes = new byte[SIZE];
      End.fill(MemorySegment.ofArray(bytes), 11);
      Files.write(file, bytes);
      MemorySegment mapped = channel.map(FileChannel.MapMode.READ_WRITE, 0, SIZE, arena);
      try (MemoryRegion region = server.domain.register(mapped.asReadOnly(), Set.of(REMOTE_READ))) {
        readBack(region, 0, SIZE);
        readBack(region, 4095, 10_000);
      }
    } finally {
      Files.delete(file);
    }
  }

  /**
   * From Linux 6.2 on, file pages that would have to be written back can't be pinned for writing.
   */
  @Test
  void localWriteToAFileMappingWorksOrSaysEfault() throws IOException {
    Path folder = Path.of(TestNetwork.ext4().orElse(System.getProperty("java.io.tmpdir")));
    Path file = Files.createTempFile(folder, "region", ".data");
    try (Arena arena = Arena.ofShared();
        FileChannel channel =
            FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      MemorySegment mapped = channel.map(FileChannel.MapMode.READ_WRITE, 0, SIZE, arena);
      try (MemoryRegion region = server.domain.register(mapped, Set.of(LOCAL_WRITE))) {
        assertEquals(SIZE, region.length());
      } catch (VerbException e) {
        assertTrue(e.getMessage().contains("EFAULT"), e.getMessage());
        assertTrue(e.getMessage().contains(SIZE + " bytes"), e.getMessage());
      }
    } finally {
      Files.delete(file);
    }
  }

  @Test
  void moreThanTwoGigabytes() throws IOException {
    long length = (2L << 30) + 123_456;
    // A file with holes on tmpfs: the kernel fills it with zeros when it pins the pages.
    Path file = Files.createTempFile(Path.of("/tmp"), "large", ".data");
    try (Arena arena = Arena.ofShared();
        FileChannel channel =
            FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      MemorySegment mapped = channel.map(FileChannel.MapMode.READ_WRITE, 0, length, arena);
      End.fill(mapped.asSlice(length - 1000), 5);
      try (MemoryRegion region = server.domain.register(mapped, Set.of(REMOTE_READ))) {
        assertEquals(length, region.length());
        readBack(region, length - 1000, 1000);
      } catch (VerbException e) {
        // rxe of some kernels keeps a region's pages in one array, which can't be that large.
        assertFalse(TestNetwork.isIwarp(), e.getMessage());
        assertTrue(e.getMessage().contains(length + " bytes"), e.getMessage());
      }
    } finally {
      Files.delete(file);
    }
  }

  @Test
  void manyRegionsOfOneSegment() {
    MemoryRegion whole = server.filled(SIZE, 1, Set.of(REMOTE_READ));
    for (int i = 0; i < 50; i++) {
      try (MemoryRegion part =
          server.domain.register(whole.memory().asSlice(i * 100L, 5000), Set.of(REMOTE_READ))) {
        readBack(part, 10, 4000);
      }
    }
  }

  @Test
  void heapAndEmptySegmentsAreRefused() {
    assertThrows(
        IllegalArgumentException.class,
        () -> server.domain.register(MemorySegment.ofArray(new byte[10]), Set.of()).close());
    MemorySegment empty = server.filled(10, 1, Set.of()).memory().asSlice(0, 0);
    assertThrows(
        IllegalArgumentException.class, () -> server.domain.register(empty, Set.of()).close());
  }

  @Test
  void remoteWriteWithoutLocalWriteIsRefused() {
    MemorySegment memory = server.filled(4096, 1, Set.of()).memory();
    VerbException refused =
        assertThrows(
            VerbException.class,
            () -> server.domain.register(memory, Set.of(Access.REMOTE_WRITE)).close());
    assertTrue(refused.getMessage().contains("REMOTE_WRITE"));
  }

  private void readBack(MemoryRegion source, long offset, int length) {
    try (WorkRequestList list = new WorkRequestList(1);
        MemoryRegion sink = pair.clientEnd.region(length, pair.clientEnd.sink())) {
      list.addRead(
          1, SendFlag.SIGNALED, sink, 0, length, source.address() + offset, source.remoteKey());
      pair.client.queuePair().post(list);
      assertEquals(CompletionStatus.SUCCESS, pair.clientEnd.await(1).getFirst().status());
      assertEquals(-1, sink.memory().mismatch(source.memory().asSlice(offset, length)));
    }
  }
}
