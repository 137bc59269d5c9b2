package org.apache.spark.shuffle.rdma.memory;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.function.IntConsumer;

/**
 * A bounded number of map outputs of one shuffle that share an arena: closing an arena costs a
 * handshake with every thread of the process, and one arena for a whole shuffle would keep the
 * mappings of outputs that were retired long before.
 */
final class MappingGroup {

  /** Most outputs of a group. */
  static final int MAX_OUTPUTS = 64;

  /** A group that holds as many bytes takes no further output. */
  static final long FULL_BYTES = 1L << 30;

  private final Arena arena = Arena.ofShared();
  private final IntConsumer onUnmapped;
  private int joined;
  private int members;
  private long bytes;
  private boolean sealed;

  /**
   * An empty group.
   *
   * @param onUnmapped told once, when all is unmapped, how many outputs had joined
   */
  MappingGroup(IntConsumer onUnmapped) {
    this.onUnmapped = onUnmapped;
  }

  /** Takes a place for an output of this many bytes; false if the group is full. */
  synchronized boolean join(long outputBytes) {
    if (sealed || joined == MAX_OUTPUTS || bytes >= FULL_BYTES) {
      return false;
    }
    joined++;
    members++;
    bytes += outputBytes;
    return true;
  }

  /** Gives a place back; the last one to leave a group that's full or sealed unmaps all. */
  void leave() {
    boolean last;
    synchronized (this) {
      members--;
      last = members == 0 && (sealed || joined == MAX_OUTPUTS || bytes >= FULL_BYTES);
      sealed |= last;
    }
    if (last) {
      unmap();
    }
  }

  /** Takes a place back for an output that wasn't mapped after all. */
  void cancel(long outputBytes) {
    boolean last;
    synchronized (this) {
      joined--;
      members--;
      bytes -= outputBytes;
      last = members == 0 && sealed;
    }
    if (last) {
      unmap();
    }
  }

  /** Lets no further output in. */
  void seal() {
    boolean last;
    synchronized (this) {
      last = members == 0 && !sealed;
      sealed = true;
    }
    if (last) {
      unmap();
    }
  }

  private void unmap() {
    arena.close();
    onUnmapped.accept(joined);
  }

  /**
   * Maps a file of exactly this many bytes, shared, so that it can be registered (facts of the
   * kernel: a writable shared mapping, registered for remote reading alone, works on ext4, xfs and
   * tmpfs from Linux 6.1 on). The segment handed out is read only.
   *
   * @throws IOException if the file has another size, as FileChannel.map would silently extend it
   */
  MemorySegment map(Path file, long length) throws IOException {
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      checkSize(file, channel.size(), length);
      return channel.map(FileChannel.MapMode.READ_WRITE, 0, length, arena).asReadOnly();
    }
  }

  /** Refuses a file that isn't as long as its partitions. */
  static void checkSize(Path file, long size, long length) throws IOException {
    if (size != length) {
      throw new IOException(
          file + " has " + size + " bytes, but its partitions add up to " + length);
    }
  }
}
