package org.apache.spark.shuffle.rdma.simulation;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** A few real files of different bytes that stand for every map output's. */
final class MapFiles {

  static final int PARTITIONS = 3;

  /** Two that are copied into slabs, and two that are mapped. */
  private static final int[] FILE_BYTES = {600, 3000, 70_000, 71_000};

  private final Path directory;
  private final List<byte[]> contents = new ArrayList<>();

  MapFiles(Path directory) throws IOException {
    this.directory = directory;
    for (int file = 0; file < FILE_BYTES.length; file++) {
      byte[] content = new byte[FILE_BYTES[file]];
      new Random(file).nextBytes(content);
      contents.add(content);
      Files.write(path(file), content);
    }
  }

  int count() {
    return FILE_BYTES.length;
  }

  Path path(int file) {
    return directory.resolve("output-" + file);
  }

  long[] lengths(int file) {
    int third = FILE_BYTES[file] / PARTITIONS;
    return new long[] {third, third, FILE_BYTES[file] - 2L * third};
  }

  /** A block's bytes: a part of its output's, not to be changed. */
  ByteBuffer block(int file, int first, int end) {
    int third = FILE_BYTES[file] / PARTITIONS;
    int to = end == PARTITIONS ? FILE_BYTES[file] : end * third;
    return ByteBuffer.wrap(contents.get(file), first * third, to - first * third).slice();
  }
}
