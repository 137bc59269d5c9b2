package org.apache.spark.shuffle.rdma.fabric.software;

import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/** Buffered input of one connection; small reads share system calls. One thread. */
final class SocketInput {

  private final SocketChannel channel;
  private final Activity activity;
  private final ByteBuffer buffer;

  /**
   * @param activity told of whatever arrives
   * @param arena where the buffer of {@link Wire#BUFFER_BYTES} bytes lives
   */
  SocketInput(SocketChannel channel, Activity activity, Arena arena) {
    this.channel = channel;
    this.activity = activity;
    this.buffer = arena.allocate(Wire.BUFFER_BYTES).asByteBuffer().limit(0);
  }

  /**
   * Waits until a frame's next part is there.
   *
   * @param bytes at most {@link Wire#BUFFER_BYTES}
   * @return false if the peer ended the stream before the first byte of it
   * @throws EOFException if it ended it in the middle
   */
  boolean await(int bytes) throws IOException {
    while (buffer.remaining() < bytes) {
      if (!more()) {
        if (buffer.hasRemaining()) {
          throw new EOFException(
              "the peer ended the stream after " + buffer.remaining() + " of " + bytes + " bytes");
        }
        return false;
      }
    }
    return true;
  }

  /** As {@link #await}, where an end is always in the middle. */
  ByteBuffer need(int bytes) throws IOException {
    if (!await(bytes)) {
      throw new EOFException("the peer ended the stream where " + bytes + " bytes were due");
    }
    return buffer;
  }

  /** What has been awaited; taking from it consumes. */
  ByteBuffer buffer() {
    return buffer;
  }

  /** Fills memory; large remainders go there straight from the socket. */
  void readInto(MemorySegment to, long offset, long bytes) throws IOException {
    long at = offset;
    long end = offset + bytes;
    while (at < end) {
      if (buffer.hasRemaining()) {
        int taken = (int) Math.min(end - at, buffer.remaining());
        MemorySegment.copy(MemorySegment.ofBuffer(buffer), 0, to, at, taken);
        buffer.position(buffer.position() + taken);
        at += taken;
      } else if (end - at >= Wire.STRAIGHT_BYTES) {
        long piece = Math.min(end - at, Wire.PIECE_BYTES);
        at += ended(channel.read(to.asSlice(at, piece).asByteBuffer()), end - at);
        activity.used();
      } else if (!more()) {
        ended(-1, end - at);
      }
    }
  }

  private static int ended(int read, long missing) throws EOFException {
    if (read < 0) {
      throw new EOFException("the peer ended the stream with " + missing + " bytes missing");
    }
    return read;
  }

  private boolean more() throws IOException {
    buffer.compact();
    try {
      return channel.read(buffer) >= 0;
    } finally {
      activity.used();
      buffer.flip();
    }
  }
}
