package org.apache.spark.shuffle.rdma.fabric.verbs;

import java.util.List;
import org.apache.spark.shuffle.rdma.fabric.Connection.Completion;
import org.apache.spark.shuffle.rdma.fabric.Connection.Read;
import org.sparkrdma.verbs.SendFlag;
import org.sparkrdma.verbs.WorkRequestList;

/** A list of reads and how far it is posted. Guarded by its connection's lock. */
final class ReadList {

  private final List<Read> reads;
  final Completion completion;
  private int next;

  /** Bytes of the next read that are posted already. */
  private long done;

  /** The number of its last work request, once all are posted. */
  long last = Long.MAX_VALUE;

  ReadList(List<Read> reads, Completion completion) {
    this.reads = reads;
    this.completion = completion;
  }

  boolean isPosted() {
    return next == reads.size();
  }

  /**
   * Adds the next work request: a read, or a part of one.
   *
   * @param id of the request
   * @param signalled whether it must complete visibly even if the list goes on behind it
   */
  void addNext(WorkRequestList requests, long id, boolean signalled, ReadSplit split) {
    Read read = reads.get(next);
    long bytes = split.next(read.remoteAddress() + done, read.lengthBytes() - done);
    boolean ends = done + bytes == read.lengthBytes();
    boolean endsList = ends && next == reads.size() - 1;
    requests.addRead(
        id,
        signalled || endsList ? SendFlag.SIGNALED : SendFlag.NONE,
        ((VerbsRegion) read.local()).region(),
        read.localOffset() + done,
        bytes,
        read.remoteAddress() + done,
        (int) read.remoteKey());
    if (ends) {
      next++;
      done = 0;
    } else {
      done += bytes;
    }
  }
}
