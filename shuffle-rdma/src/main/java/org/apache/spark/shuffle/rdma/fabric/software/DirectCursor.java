package org.apache.spark.shuffle.rdma.fabric.software;

import java.util.List;
import org.apache.spark.shuffle.rdma.fabric.Connection.Read;
import org.apache.spark.shuffle.rdma.fabric.Nonce;

/**
 * Where a read list stands between the system calls that it takes. A call copies a prefix of what
 * it was given, which may end within a piece; the next one goes on from there.
 */
final class DirectCursor {

  /**
   * The most bytes of one call. Linux would copy 2 GiB less a page; smaller steps let a close get
   * in between, and cost nothing at this size.
   */
  static final long CALL_BYTES = 64L << 20;

  private final List<Read> reads;
  private final long nonceAddress;
  private int index;
  private long done;
  private long nonceLeft = Nonce.BYTES;

  DirectCursor(List<Read> reads, long nonceAddress) {
    this.reads = reads;
    this.nonceAddress = nonceAddress;
  }

  /** Lists the next pieces; -1 if the next one's remote address would overflow. */
  int fill(IovecArea area) {
    long room = CALL_BYTES;
    int entries = 0;
    int next = index;
    long from = done;
    while (next < reads.size() && entries < IovecArea.DATA_ENTRIES && room > 0) {
      Read read = reads.get(next);
      long end = read.remoteAddress() + read.lengthBytes() - 1;
      if (Long.compareUnsigned(end, read.remoteAddress()) < 0) {
        return entries == 0 ? -1 : entries;
      }
      long bytes = Math.min(read.lengthBytes() - from, room);
      long local = read.local().address() + read.localOffset() + from;
      area.set(entries++, local, read.remoteAddress() + from, bytes);
      room -= bytes;
      from += bytes;
      if (from == read.lengthBytes()) {
        next++;
        from = 0;
      }
    }
    if (next == reads.size()) {
      // Read anew in full if the last call ended within it.
      area.setNonce(entries++, nonceAddress);
      nonceLeft = Nonce.BYTES;
    }
    return entries;
  }

  /** Counts what a call copied; true when the list and the nonce behind it are complete. */
  boolean advance(long copied) {
    long left = copied;
    while (left > 0 && index < reads.size()) {
      long bytes = Math.min(left, reads.get(index).lengthBytes() - done);
      left -= bytes;
      done += bytes;
      if (done == reads.get(index).lengthBytes()) {
        index++;
        done = 0;
      }
    }
    nonceLeft -= left;
    return nonceLeft == 0;
  }

  /** For messages. */
  String position() {
    if (index == reads.size()) {
      return "the nonce";
    }
    Read read = reads.get(index);
    return "read "
        + index
        + " of "
        + reads.size()
        + " ("
        + read.lengthBytes()
        + " bytes at 0x"
        + Long.toHexString(read.remoteAddress())
        + ", "
        + done
        + " copied)";
  }
}
