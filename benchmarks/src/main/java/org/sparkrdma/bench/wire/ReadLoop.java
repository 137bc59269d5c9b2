package org.sparkrdma.bench.wire;

import java.util.Arrays;
import java.util.List;
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

  private final List<Path> paths;
  private final CompletionQueue queue;
  private final CompletionChannel channel;
  private final MemoryRegion into;
  private final WorkRequestList list = new WorkRequestList(SEND_DEPTH);
  private final CompletionBuffer buffer;
  private final int[] done;

  /**
   * A queue pair, and what it reads.
   *
   * @param from the peer's memory
   */
  record Path(QueuePair queuePair, ReadTarget from) {}

  /**
   * Reads by these queue pairs, of which the queue is.
   *
   * @param into what is read by all of them goes to the same place
   */
  ReadLoop(List<Path> paths, CompletionQueue queue, CompletionChannel channel, MemoryRegion into) {
    this.paths = List.copyOf(paths);
    this.queue = queue;
    this.channel = channel;
    this.into = into;
    this.buffer = new CompletionBuffer(SEND_DEPTH * paths.size());
    this.done = new int[paths.size()];
    queue.requestNotification();
  }

  /**
   * Keeps the send queues full; returns how many nanoseconds all reads took.
   *
   * @param reads of each queue pair
   */
  long readMany(int bytes, int reads) {
    long start = System.nanoTime();
    int[] posted = new int[done.length];
    int left = done.length;
    while (left > 0) {
      for (int pair = 0; pair < posted.length; pair++) {
        posted[pair] = fill(pair, bytes, posted[pair], reads);
      }
      awaitCompletion();
      left = (int) Arrays.stream(done).filter(one -> one < reads).count();
    }
    return System.nanoTime() - start;
  }

  /** Posts what there's room for; returns how many are posted then. */
  private int fill(int pair, int bytes, int before, int reads) {
    int last = Math.min(done[pair] + SEND_DEPTH, reads);
    list.clear();
    for (int read = before + 1; read <= last; read++) {
      add(pair, bytes, read, read % READS_PER_COMPLETION == 0 || read == reads);
    }
    if (last > before) {
      paths.get(pair).queuePair().post(list);
    }
    return last;
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
        add(0, bytes, read, true);
        paths.getFirst().queuePair().post(list);
        awaitCompletion();
        if (done[0] != read) {
          throw new RdmaException("read " + done[0] + " completed instead of " + read);
        }
      }
      long end = System.nanoTime();
      nanos[group] = (double) (end - start) / READS_PER_TIMESTAMP;
      start = end;
    }
    return nanos;
  }

  private void add(int pair, int bytes, int read, boolean signaled) {
    int flags = signaled ? SendFlag.SIGNALED : SendFlag.NONE;
    ReadTarget from = paths.get(pair).from();
    long id = ((long) pair << Integer.SIZE) | read;
    list.addRead(id, flags, into, 0, bytes, from.address(), from.key());
  }

  /**
   * Sleeps until something completes, and notes how far each queue pair is. A notification is
   * always asked for before the queue is polled empty, so none slips through; an event whose
   * completion the last poll had taken already brings nothing, and the next one is waited for.
   */
  private void awaitCompletion() {
    int count = 0;
    while (count == 0) {
      if (channel.await(TIMEOUT_MILLIS) == null) {
        throw new StalledException(
            "no completion within "
                + TIMEOUT_MILLIS
                + " ms; "
                + paths.getFirst().queuePair()
                + " is "
                + paths.getFirst().queuePair().state());
      }
      queue.requestNotification();
      // The buffer has room for all reads that can be under way, so one poll empties the queue.
      count = queue.poll(buffer);
    }
    for (int i = 0; i < count; i++) {
      buffer.requireSuccess(i);
      done[(int) (buffer.id(i) >>> Integer.SIZE)] = (int) buffer.id(i);
    }
  }

  @Override
  public void close() {
    list.close();
    buffer.close();
  }
}
