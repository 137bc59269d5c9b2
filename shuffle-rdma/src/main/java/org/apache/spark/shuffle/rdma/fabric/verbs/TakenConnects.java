package org.apache.spark.shuffle.rdma.fabric.verbs;

import java.util.HashMap;
import java.util.Map;

/**
 * The connects that were taken, so that none is taken twice: of each start of a reader the highest
 * number, and which of the {@value #WINDOW} numbers up to it. A connect with a lower number is
 * refused, whether it was taken or not, so what must be remembered doesn't grow with the connects.
 * Readers are never forgotten, since their recorded connects could be played again then. Any thread
 * may call.
 */
final class TakenConnects {

  /** Connects of one reader may overtake each other by less than this. */
  static final int WINDOW = Long.SIZE;

  /** As many executors as the driver's directory takes in one application. */
  static final int MAX_READERS = 65_536;

  /** What to do with a connect. */
  enum Verdict {
    TAKE,
    TAKEN_BEFORE,
    TOO_MANY_READERS
  }

  /**
   * @param highest number that was taken
   * @param taken bit i is set if the number {@code highest - i} was taken
   */
  private record Reader(long highest, long taken) {}

  private final Map<Long, Reader> readers = new HashMap<>();

  /**
   * Takes a connect whose proof is good.
   *
   * @param start the reader's: random
   * @param number counts that start's connects
   */
  synchronized Verdict take(long start, long number) {
    Reader known = readers.get(start);
    if (known == null) {
      if (readers.size() >= MAX_READERS) {
        return Verdict.TOO_MANY_READERS;
      }
      readers.put(start, new Reader(number, 1));
      return Verdict.TAKE;
    }
    // A difference in place of a comparison, so that an overflow does no harm.
    long ahead = number - known.highest;
    if (ahead > 0) {
      long before = ahead < WINDOW ? known.taken << ahead : 0;
      readers.put(start, new Reader(number, before | 1));
      return Verdict.TAKE;
    }
    if (-ahead >= WINDOW || -ahead < 0 || (known.taken & (1L << -ahead)) != 0) {
      return Verdict.TAKEN_BEFORE;
    }
    readers.put(start, new Reader(known.highest, known.taken | (1L << -ahead)));
    return Verdict.TAKE;
  }
}
