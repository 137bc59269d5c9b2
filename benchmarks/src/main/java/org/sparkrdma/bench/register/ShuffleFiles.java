package org.sparkrdma.bench.register;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/** Files of one size, written whole and back to the disk, so that they lie clean in the cache. */
final class ShuffleFiles implements AutoCloseable {

  private static final int CHUNK_BYTES = 64 << 10;

  private final int bytes;
  private final List<Path> paths = new ArrayList<>();

  /**
   * Writes them.
   *
   * @param bytes of each, 1 or more
   */
  ShuffleFiles(Path folder, int count, int bytes) throws IOException {
    this.bytes = bytes;
    try {
      for (int i = 0; i < count; i++) {
        Path path = folder.resolve("shuffle_" + i + ".data");
        paths.add(path);
        write(path);
      }
    } catch (IOException e) {
      close();
      throw e;
    }
  }

  private void write(Path path) throws IOException {
    try (FileChannel channel =
        FileChannel.open(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      ByteBuffer chunk = ByteBuffer.allocateDirect(Math.min(bytes, CHUNK_BYTES));
      for (int left = bytes; left > 0; ) {
        left -= channel.write(chunk.rewind().limit(Math.min(left, chunk.capacity())));
      }
      channel.force(true);
    }
  }

  /** Of one file. */
  int bytes() {
    return bytes;
  }

  long totalBytes() {
    return (long) bytes * paths.size();
  }

  List<Path> paths() {
    return List.copyOf(paths);
  }

  @Override
  public void close() throws IOException {
    for (Path path : paths) {
      Files.deleteIfExists(path);
    }
  }
}
