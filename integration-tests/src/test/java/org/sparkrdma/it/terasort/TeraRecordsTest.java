package org.sparkrdma.it.terasort;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class TeraRecordsTest {

  @Test
  void aRowIsTheSameWhoeverMakesIt() {
    byte[] fifth = TeraRecords.make(1, 5);
    List<byte[]> rows = new ArrayList<>();
    TeraRecords.rows(1, 3, 8).forEachRemaining(rows::add);
    assertEquals(5, rows.size());
    assertArrayEquals(fifth, rows.get(2));
    assertFalse(Arrays.equals(fifth, TeraRecords.make(2, 5)));
    assertFalse(Arrays.equals(fifth, TeraRecords.make(1, 6)));
  }

  @Test
  void keysCompareAsUnsignedBytes() {
    byte[] low = new byte[TeraRecords.KEY_LENGTH];
    byte[] high = new byte[TeraRecords.KEY_LENGTH];
    low[0] = 0x7f;
    high[0] = (byte) 0x80;
    assertTrue(TeraRecords.compareKeys(low, high) < 0);
  }

  @Test
  void keyAndValueJoinToTheRecord() {
    byte[] record = TeraRecords.make(1, 5);
    assertArrayEquals(record, TeraRecords.join(TeraRecords.key(record), TeraRecords.value(record)));
  }

  @Test
  void rangesHoldSimilarShares() {
    List<byte[]> keys = new ArrayList<>();
    TeraRecords.rows(3, 0, 10_000).forEachRemaining(keys::add);
    KeyRanges ranges = new KeyRanges(keys, 10);
    int[] counts = new int[10];
    keys.forEach(key -> counts[ranges.getPartition(key)]++);
    for (int count : counts) {
      assertEquals(1000, count);
    }
  }

  @Test
  void rangesOfAnEmptySampleTakeEverything() {
    KeyRanges ranges = new KeyRanges(List.of(), 4);
    assertEquals(4, ranges.numPartitions());
    assertEquals(0, ranges.getPartition(TeraRecords.make(1, 1)));
  }

  @Test
  void filesGiveBackWhatWasWritten(@TempDir Path folder) throws IOException {
    RecordFiles files = new RecordFiles(folder.resolve("with space").toUri().toString());
    Totals written = files.write(3, 0, TeraRecords.rows(1, 0, 100));
    assertEquals(100, written.records());
    assertEquals(written, PartitionReport.of(3, files.read(3)).totals());
    assertEquals(7, files.firstKeys(3, 7).size());
    assertArrayEquals(TeraRecords.key(TeraRecords.make(1, 0)), files.firstKeys(3, 1).getFirst());
    // A repeated task replaces its partition.
    files.write(3, 1, TeraRecords.rows(1, 0, 5));
    assertEquals(5, PartitionReport.of(3, files.read(3)).totals().records());
  }

  @Test
  void aFileThatEndsWithinARecordIsAnError(@TempDir Path folder) throws IOException {
    Files.write(folder.resolve("part-00000"), new byte[TeraRecords.LENGTH + 1]);
    RecordFiles files = new RecordFiles(folder.toUri().toString());
    IOException error = assertThrows(IOException.class, () -> files.read(0));
    assertTrue(String.valueOf(error.getMessage()).contains("101 bytes"), error::toString);
  }
}
