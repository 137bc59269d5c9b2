package org.sparkrdma.bench.register;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.sparkrdma.verbs.MemoryRegion;

/** Files that are mapped and registered with nothing around it; they share an arena. */
final class Mappings implements AutoCloseable {

  private final Arena arena = Arena.ofShared();
  private final List<MemoryRegion> regions = new ArrayList<>();
  private final @Nullable BareDevice device;

  /**
   * Nothing is mapped yet.
   *
   * @param device null to map alone
   */
  Mappings(@Nullable BareDevice device) {
    this.device = device;
  }

  /** Opens, maps and registers. */
  void add(Path file, int bytes) throws IOException {
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      MemorySegment memory =
          channel.map(FileChannel.MapMode.READ_WRITE, 0, bytes, arena).asReadOnly();
      if (device != null) {
        regions.add(device.register(memory));
      }
    }
  }

  /** Deregisters and unmaps. */
  @Override
  public void close() {
    regions.forEach(MemoryRegion::close);
    arena.close();
  }
}
