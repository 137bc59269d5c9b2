package org.sparkrdma.bench.register;

import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;
import org.sparkrdma.verbs.MemoryRegion;

/** A slab that is registered once, and files that are read into it one after another. */
final class Copies implements AutoCloseable {

  private static final long ALIGNMENT = 4096;

  private final Arena arena = Arena.ofShared();
  private final MemorySegment slab;
  private final @Nullable MemoryRegion region;
  private long used;

  /**
   * Registers the slab.
   *
   * @param device null for none
   */
  Copies(@Nullable BareDevice device, long bytes) {
    slab = arena.allocate(bytes, ALIGNMENT);
    region = device == null ? null : device.register(slab);
  }

  /** Opens a file and reads it; past the slab's end, to its start again. */
  void add(Path file, int bytes) throws IOException {
    if (used + bytes > slab.byteSize()) {
      used = 0;
    }
    ByteBuffer into = slab.asSlice(used, bytes).asByteBuffer();
    used += bytes;
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      while (into.hasRemaining()) {
        if (channel.read(into) < 0) {
          throw new EOFException(file + " became shorter");
        }
      }
    }
  }

  @Override
  public void close() {
    if (region != null) {
      region.close();
    }
    arena.close();
  }
}
