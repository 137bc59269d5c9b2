package org.sparkrdma.it.jobs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.sparkrdma.it.jobs.TestApplication.Reading;

/** Shuffle files that are deleted, cut short or changed while they are mapped and read. */
final class DamagedFilesIT {

  private static final SeededShuffle SHUFFLE = new SeededShuffle(16, 4, 48 << 10);

  /** How a block may go that nobody can read: its connection may have broken by it, too. */
  private static final Set<String> UNREADABLE =
      Set.of(
          "access-error",
          "connection-lost",
          "peer-terminated",
          "peer-in-backoff",
          "no-location",
          "second-request");

  @TempDir private Path folder;

  @Test
  void onTheDirectWay() throws Exception {
    Map<String, String> conf = OwnerAndReader.conf("direct");
    // With it, Spark looks at a whole block before any record of it is used, and asks once more.
    conf.put("spark.shuffle.detectCorrupt.useExtraMemory", "true");
    try (TestApplication application = TestApplication.withRdma(conf)) {
      Leftovers leftovers = new Leftovers(application);
      deleted(application, "direct");
      cutShort(application, "direct");
      Reading reading =
          flipped(
              application,
              "direct",
              "Bytes of compressed shuffle files flipped while they are read, blocks checked first",
              "same rows: Spark asks once more, by TCP, blames the disk, and the damaged map tasks"
                  + " run again");
      // Every failure is preceded by a block that was asked for once more, and by nothing else.
      assertEquals(Map.of("second-request", reading.fetchFailures()), reading.tcpBlocks());
      leftovers.assertNone();
    }
  }

  /** Here it's the owner itself that looks at the damaged mapping. */
  @Test
  @DisabledIfSystemProperty(
      named = "sparkrdma.it.fabric",
      matches = "verbs",
      disabledReason = "that fabric has one way, and the test before is of it")
  void onTheTcpWayWithEncryptedFiles() throws Exception {
    Map<String, String> conf = OwnerAndReader.conf("tcp");
    conf.put("spark.io.encryption.enabled", "true");
    try (TestApplication application = TestApplication.withRdma(conf)) {
      Leftovers leftovers = new Leftovers(application);
      deleted(application, "tcp");
      cutShort(application, "tcp");
      Reading reading =
          flipped(
              application,
              "tcp",
              "Bytes of compressed and encrypted shuffle files flipped while they are read",
              "same rows: Spark blames the disk, and the damaged map tasks run again");
      assertEquals(Map.of(), reading.tcpBlocks());
      leftovers.assertNone();
    }
  }

  private void deleted(TestApplication application, String way) throws Exception {
    try (OwnerAndReader two = new OwnerAndReader(application, SHUFFLE, folder)) {
      Reading reading =
          two.read(
              "Shuffle files deleted while they are read",
              way,
              "same rows: what is mapped is still there",
              () -> {
                for (Path file : two.ownersFiles()) {
                  Files.delete(file);
                }
              });
      SameRowsIT.assertAllByRead(reading, "from deleted files");
      assertEquals(0, reading.fetchFailures());
    }
  }

  private void cutShort(TestApplication application, String way) throws Exception {
    try (OwnerAndReader two = new OwnerAndReader(application, SHUFFLE, folder)) {
      Reading reading =
          two.read(
              "Shuffle files cut short while they are read",
              way,
              "same rows, after the damaged map tasks have run again",
              () -> {
                for (Path file : two.ownersFiles()) {
                  try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
                    channel.truncate(4096);
                  }
                }
              });
      assertTrue(reading.fetchFailures() > 0, reading::toString);
      assertTrue(UNREADABLE.containsAll(reading.tcpBlocks().keySet()), reading::toString);
      assertTrue(ProcessHandle.of(two.owner.pid()).isPresent(), "the owner died of it");
      assertTrue(ProcessHandle.of(two.reader.pid()).isPresent(), "the reader died of it");
    }
  }

  /** Spark finds what is wrong and gets to know the cause from the owner, through our client. */
  private Reading flipped(TestApplication application, String way, String name, String expected)
      throws Exception {
    try (OwnerAndReader two = new OwnerAndReader(application, SHUFFLE, folder)) {
      List<String> messages = application.sparkReads().fetchFailureMessages;
      int messagesBefore = messages.size();
      Reading reading =
          two.read(
              name,
              way,
              expected,
              () -> {
                for (Path file : two.ownersFiles()) {
                  flip(file);
                }
              });
      assertTrue(reading.readBlocks() > 0, reading::toString);
      assertTrue(reading.fetchFailures() > 0, reading::toString);
      for (String message : messages.subList(messagesBefore, messages.size())) {
        assertTrue(message.contains("is corrupted due to DISK_ISSUE"), message);
      }
      return reading;
    }
  }

  /** Changes a byte in each KiB, beginning with one of the content. */
  private static void flip(Path file) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    for (int i = 512; i < bytes.length; i += 1024) {
      bytes[i] ^= 0x5a;
    }
    // In place: the file is mapped.
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      ByteBuffer changed = ByteBuffer.wrap(bytes);
      while (changed.hasRemaining()) {
        channel.write(changed);
      }
    }
  }
}
