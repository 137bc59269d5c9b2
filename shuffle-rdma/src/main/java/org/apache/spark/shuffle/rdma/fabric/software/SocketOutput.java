package org.apache.spark.shuffle.rdma.fabric.software;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SocketChannel;

/** Buffered output of one connection; small pieces share system calls. One thread. */
final class SocketOutput {

  private final SocketChannel channel;
  private final Activity activity;
  private final ByteBuffer buffer;

  /**
   * @param activity told of whatever could be sent
   * @param arena where the buffer of {@link Wire#BUFFER_BYTES} bytes lives
   */
  SocketOutput(SocketChannel channel, Activity activity, Arena arena) {
    this.channel = channel;
    this.activity = activity;
    this.buffer = arena.allocate(Wire.BUFFER_BYTES).asByteBuffer();
  }

  /** The buffer, with room for that many bytes: put them there. */
  ByteBuffer room(int bytes) throws IOException {
    if (buffer.remaining() < bytes) {
      flush();
    }
    return buffer;
  }

  /**
   * Sends bytes of a region that the caller is inside of. What was sent before is read from memory
   * before: the order that a list promises.
   *
   * @throws ClosedChannelException if the region is closing, which mustn't wait for a slow peer
   */
  void send(SoftwareRegion region, long offset, long bytes) throws IOException {
    MemorySegment memory = region.memory();
    if (bytes < Wire.STRAIGHT_BYTES) {
      ByteBuffer to = room((int) bytes);
      MemorySegment.copy(memory, offset, MemorySegment.ofBuffer(to), 0, bytes);
      to.position(to.position() + (int) bytes);
      VarHandle.loadLoadFence();
      return;
    }
    long end = offset + bytes;
    for (long at = offset; at < end; ) {
      if (region.gate().isClosed()) {
        throw new ClosedChannelException();
      }
      long piece = Math.min(end - at, Wire.PIECE_BYTES);
      flushWith(memory.asSlice(at, piece).asByteBuffer());
      at += piece;
    }
  }

  private void flushWith(ByteBuffer straight) throws IOException {
    buffer.flip();
    ByteBuffer[] both = {buffer, straight};
    while (straight.hasRemaining()) {
      channel.write(both);
      activity.used();
    }
    buffer.clear();
    VarHandle.loadLoadFence();
  }

  void flush() throws IOException {
    buffer.flip();
    while (buffer.hasRemaining()) {
      channel.write(buffer);
      activity.used();
    }
    buffer.clear();
  }
}
