package org.sparkrdma.bench.fetch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.network.buffer.ManagedBuffer;
import org.apache.spark.network.buffer.NioManagedBuffer;
import org.apache.spark.network.shuffle.BlockFetchingListener;
import org.junit.jupiter.api.Test;

class WindowedReaderTest {

  private static final ByteBuffer MEBIBYTE = ByteBuffer.allocate(1 << 20);

  private final BenchShuffle shuffle = BenchShuffle.of(BlockSizes.LARGE, 100L << 20);

  /** Blocks that are on their way or wait for the task: asked for and not yet read. */
  private int unread;

  private int mostUnread;
  private int retained;

  private final class Counted extends NioManagedBuffer {
    Counted() {
      super(MEBIBYTE.duplicate());
    }

    @Override
    public ManagedBuffer retain() {
      retained++;
      return this;
    }

    @Override
    public ManagedBuffer release() {
      retained--;
      return this;
    }
  }

  private void deliver(FetchRequest request, BlockFetchingListener listener) {
    unread += request.ids().length;
    mostUnread = Math.max(mostUnread, unread);
    for (String id : request.ids()) {
      listener.onBlockFetchSuccess(id, new Counted());
    }
  }

  @Test
  void asMuchIsInFlightAsSparkAllowsAndEveryBufferIsReleased() throws Exception {
    List<String> read = new ArrayList<>();
    new WindowedReader(shuffle.requests(), this::deliver)
        .read(
            (id, data) -> {
              unread--;
              read.add(id);
            });
    assertEquals(shuffle.parts() * shuffle.parts(), read.size());
    // The one that the task has just taken out isn't in flight any more.
    assertTrue(mostUnread > 40 && mostUnread <= 49, "in flight: " + mostUnread + " MiB");
    assertEquals(0, retained);
  }

  @Test
  void aBlockThatFailsEndsTheRead() {
    BlockSource failing =
        (request, listener) ->
            listener.onBlockFetchFailure(request.ids()[0], new IOException("gone"));
    IOException failure =
        assertThrows(
            IOException.class,
            () -> new WindowedReader(shuffle.requests(), failing).read((id, data) -> {}));
    assertEquals("block " + shuffle.blockId(0, 0) + " didn't come", failure.getMessage());
  }

  @Test
  void wrongBytesAreFound() {
    Consumers.Checking checking = new Consumers.Checking(shuffle);
    IOException failure =
        assertThrows(
            IOException.class,
            () -> new WindowedReader(shuffle.requests(), this::deliver).read(checking));
    assertEquals("wrong bytes in block " + shuffle.blockId(0, 0), failure.getMessage());
    assertEquals(0, checking.blocks());
  }
}
