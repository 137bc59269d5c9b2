package org.sparkrdma.bench.fetch;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.spark.network.buffer.NioManagedBuffer;
import org.apache.spark.network.shuffle.BlockFetchingListener;

/**
 * The least that can be done: blocks are copied by the task's thread from mapped files into memory
 * as large as what may be in flight. The server has no part in it.
 */
final class FloorSource implements BlockSource, AutoCloseable {

  private static final long RING_BYTES = 64 << 20;
  private static final long PAGE_BYTES = 4096;

  private final Arena arena = Arena.ofConfined();
  private final List<MemorySegment> outputs = new ArrayList<>();
  private final List<long[]> offsets = new ArrayList<>();
  private final MemorySegment ring;
  private long used;

  /**
   * Maps the outputs.
   *
   * @param folder the data files are in it or below it, with Spark's names
   */
  FloorSource(BenchShuffle shuffle, Path folder) throws IOException {
    ring = arena.allocate(RING_BYTES, PAGE_BYTES);
    Map<String, Path> files = dataFiles(folder);
    for (int map = 0; map < shuffle.parts(); map++) {
      Path file =
          Objects.requireNonNull(files.get("shuffle_" + shuffle.id() + "_" + map + "_0.data"));
      try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
        outputs.add(channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size(), arena));
      }
      offsets.add(offsets(shuffle.lengths(map)));
    }
  }

  private static Map<String, Path> dataFiles(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      return files
          .filter(file -> file.toString().endsWith(".data"))
          .collect(Collectors.toMap(file -> file.getFileName().toString(), file -> file));
    }
  }

  private static long[] offsets(long[] lengths) {
    long[] offsets = new long[lengths.length];
    for (int i = 1; i < offsets.length; i++) {
      offsets[i] = offsets[i - 1] + lengths[i - 1];
    }
    return offsets;
  }

  @Override
  public void fetch(FetchRequest request, BlockFetchingListener listener) {
    for (BenchShuffle.Block block : request.blocks()) {
      if (used + block.bytes() > RING_BYTES) {
        used = 0;
      }
      MemorySegment copy = ring.asSlice(used, block.bytes());
      used += block.bytes();
      MemorySegment.copy(
          outputs.get(block.map()),
          offsets.get(block.map())[block.reducer()],
          copy,
          0,
          block.bytes());
      listener.onBlockFetchSuccess(block.id(), new NioManagedBuffer(copy.asByteBuffer()));
    }
  }

  @Override
  public void close() {
    arena.close();
  }
}
