package org.apache.spark.shuffle.rdma.fetch;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.spark.shuffle.rdma.memory.BufferSlice;
import org.apache.spark.shuffle.rdma.memory.OutputLocation;
import org.apache.spark.shuffle.rdma.metrics.FallbackReason;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A map output of 3 GiB, most of it a hole, with one block that is larger than 2 GiB by itself. */
final class LargeOutputTest {

  private static final long HUGE_BLOCK = (2L << 30) + 5;
  private static final int LAST_BLOCK = 1_000_003;
  private static final long[] LENGTHS = {
    100, HUGE_BLOCK, (3L << 30) - 100 - HUGE_BLOCK - LAST_BLOCK, LAST_BLOCK
  };

  @TempDir private Path files;

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void blocksBeyondTwoGibibytesComeByRead(boolean direct) throws Exception {
    byte[] last = new byte[LAST_BLOCK];
    new Random(1).nextBytes(last);
    Path path = files.resolve("sparse");
    try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
      file.setLength(3L << 30);
      file.seek((3L << 30) - LAST_BLOCK);
      file.write(last);
    }
    try (TwoExecutors executors = new TwoExecutors(files, TwoExecutors.Options.way(direct))) {
      OutputLocation location =
          Objects.requireNonNull(
              executors.outputs.register(TwoExecutors.SHUFFLE, 1, path, LENGTHS));
      executors.directory.publish(TwoExecutors.OWNER, List.of(location));
      assertEquals(3L << 30, location.dataLength());
      byte[] got = (byte[]) fetch(executors, 3);
      assertEquals(0, java.util.Arrays.compare(last, got));
      assertEquals(100, ((byte[]) fetch(executors, 0)).length);
      assertEquals(FallbackReason.BLOCK_TOO_LARGE, fetch(executors, 1));
    }
  }

  /** The block's bytes, or why there are none. */
  private static Object fetch(TwoExecutors executors, int partition) throws Exception {
    CompletableFuture<Object> end = new CompletableFuture<>();
    BlockRange block = Objects.requireNonNull(BlockRange.parse(TwoExecutors.block(1, partition)));
    executors.engine.fetch(
        TwoExecutors.OWNER,
        List.of(block),
        new Delivery() {
          @Override
          public void delivered(BlockRange range, BufferSlice data) {
            byte[] bytes = new byte[(int) data.length()];
            data.byteBuffer().get(bytes);
            end.complete(bytes);
          }

          @Override
          public void fallBack(List<BlockRange> blocks, FallbackReason reason) {
            end.complete(reason);
          }
        });
    return end.get(60, TimeUnit.SECONDS);
  }
}
