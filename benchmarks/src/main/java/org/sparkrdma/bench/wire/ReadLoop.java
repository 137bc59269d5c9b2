package org.sparkrdma.bench.wire;

import org.sparkrdma.verbs.CompletionBuffer;
import org.sparkrdma.verbs.CompletionChannel;
import org.sparkrdma.verbs.CompletionQueue;
import org.sparkrdma.verbs.MemoryRegion;
import org.sparkrdma.verbs.QueuePair;
import org.sparkrdma.verbs.RdmaException;
import org.sparkrdma.verbs.SendFlag;
import org.sparkrdma.verbs.WorkRequestList;

/**
 * Reads again and again, and sleeps until completion events, in the steps that perftest takes with
 * {@code -e}: all reads go from the same memory to the same memory, up to {@link #SEND_DEPTH} are
 * in the send queue, and every {@link #READS_PER_COMPLETION}th completes visibly. What differs is
 * that reads are posted as a list, not one by one.
 */
final class ReadLoop implements AutoCloseable {

  /** Posted reads didn't complete. */
  static final class StalledException extends RdmaException {
    private static final long serialVersionUID = 1L;

    StalledException(String message) {
      super(message);
    }
  }

  /** perftest's default for {@code -t}. */
  static final int SEND_DEPTH = 128;

  /** perftest's default for {@code -Q}. */
  private static final int READS_PER_COMPLETION = 100;

  private static final int READS_PER_TIMESTAMP = 20;

  private static final long TIMEOUT_MILLIS = 10_000;

  private final QueuePair queuePair;
  private final CompletionQueue queue;
  private final CompletionChannel channel;
  private final MemoryRegion into;
  private final ReadTarget from;
  private final WorkRequestList list = new WorkRequestList(SEND_DEPTH);
  private final CompletionBuffer buffer = new CompletionBuffer(SEND_DEPTH);

  ReadLoop(
      QueuePair queuePair,
      CompletionQueue queue,
      CompletionChannel channel,
      MemoryRegion into,
      ReadTarget from) {
    this.queuePair = queuePair;
    this.queue = queue;
    this.channel = channel;
    this.into = into;
    this.from = from;
    queue.requestNotification();
  }

  /** Keeps the send queue full; returns how many nanoseconds all reads took. */
  long readMany(int bytes, int reads) {
    long start = System.nanoTime();
    int posted = 0;
    int done = 0;
    while (done < reads) {
      int last = Math.min(done + SEND_DEPTH, reads);
      list.clear();
      while (posted < last) {
        posted++;
        add(bytes, posted, posted % READS_PER_COMPLETION == 0 || posted == reads);
      }
      queuePair.post(list);
      done = awaitCompletion();
    }
    return System.nanoTime() - start;
  }

  /**
   * One read at a time; returns the nanoseconds that a read of each group of {@link
   * #READS_PER_TIMESTAMP} took. Not of each read, since {@code System.nanoTime} is a system call in
   * the test kernel and costs half a read there; perftest reads the processor's counter.
   */
  double[] readEach(int bytes, int reads) {
    double[] nanos = new double[reads / READS_PER_TIMESTAMP];
    long start = System.nanoTime();
    for (int group = 0; group < nanos.length; group++) {
      for (int read = 0; read < READS_PER_TIMESTAMP; read++) {
        list.clear();
        add(bytes, read, true);
        queuePair.post(list);
        int done = awaitCompletion();
        if (done != read) {
          throw new RdmaException("read " + done + " completed instead of " + read);
        }
      }
      long end = System.nanoTime();
      nanos[group] = (double) (end - start) / READS_PER_TIMESTAMP;
      start = end;
    }
    return nanos;
  }

  private void add(int bytes, int id, boolean signaled) {
    int flags = signaled ? SendFlag.SIGNALED : SendFlag.NONE;
    list.addRead(id, flags, into, 0, bytes, from.address(), from.key());
  }

  /**
   * Sleeps until something completes, and returns the highest id. A notification is always asked
   * for before the queue is polled empty, so none slips through; an event whose completion the last
   * poll had taken already brings nothing, and the next one is waited for.
   */
  private int awaitCompletion() {
    int count = 0;
    while (count == 0) {
      if (channel.await(TIMEOUT_MILLIS) == null) {
        throw new StalledException(
            "no completion within "
                + TIMEOUT_MILLIS
                + " ms; "
                + queuePair
                + " is "
                + queuePair.state());
      }
      queue.requestNotification();
      // The buffer has room for all reads that can be under way, so one poll empties the queue.
      count = queue.poll(buffer);
    }
    for (int i = 0; i < count; i++) {
      buffer.requireSuccess(i);
    }
    return (int) buffer.id(count - 1);
  }

  @Override
  public void close() {
    list.close();
    buffer.close();
  }
}
