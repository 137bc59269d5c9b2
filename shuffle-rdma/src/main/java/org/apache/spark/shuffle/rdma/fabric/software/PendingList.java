package org.apache.spark.shuffle.rdma.fabric.software;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.apache.spark.shuffle.rdma.fabric.Connection.Completion;
import org.apache.spark.shuffle.rdma.fabric.Connection.Read;

/**
 * A read list on its way over TCP, as requests of at most {@link Wire#MAX_READS} reads. The writer
 * thread sends it, the reader thread receives it; each has its own position.
 */
final class PendingList {

  private final List<Read> reads;
  private final Completion completion;
  private int received;

  PendingList(List<Read> reads, Completion completion) {
    this.reads = List.copyOf(reads);
    this.completion = completion;
  }

  Completion completion() {
    return completion;
  }

  /** Writer thread: sends all requests. */
  void send(SocketOutput out) throws IOException {
    for (int from = 0; from < reads.size(); from += Wire.MAX_READS) {
      List<Read> some = reads.subList(from, Math.min(reads.size(), from + Wire.MAX_READS));
      ByteBuffer to = out.room(Wire.REQUEST_BYTES + some.size() * Wire.READ_BYTES);
      to.putInt(Wire.MAGIC).putInt(some.size());
      for (Read read : some) {
        to.putLong(read.remoteAddress()).putLong(read.remoteKey()).putLong(read.lengthBytes());
      }
    }
  }

  /** Reader thread: the reads that the next answer is about. */
  private List<Read> next() {
    return reads.subList(received, Math.min(reads.size(), received + Wire.MAX_READS));
  }

  /** Reader thread: the bytes that the next answer must have. */
  long nextBytes() {
    long bytes = 0;
    for (Read read : next()) {
      bytes += read.lengthBytes();
    }
    return bytes;
  }

  /** Reader thread: for the message about a refused read of the next answer. */
  String describe(int index) {
    List<Read> some = next();
    if (index < 0 || index >= some.size()) {
      return "a read";
    }
    Read read = some.get(index);
    return "read "
        + (received + index)
        + " of "
        + reads.size()
        + " ("
        + read.lengthBytes()
        + " bytes at 0x"
        + Long.toHexString(read.remoteAddress())
        + ")";
  }

  /** Reader thread: receives the next answer's data; true when the list is complete. */
  boolean receive(SocketInput in) throws IOException {
    List<Read> some = next();
    for (Read read : some) {
      in.readInto(read.local().memory(), read.localOffset(), read.lengthBytes());
    }
    received += some.size();
    return received == reads.size();
  }
}
