package org.apache.spark.shuffle.rdma.doctor.path;

/** How many pieces of a size make a measurement, so that none takes long. */
final class PieceCounts {

  /** Of one list at most, unless a single piece is larger. */
  static final long LIST_BYTES = 16 << 20;

  private static final long ALONE_BYTES = 4 << 20;
  private static final int MOST = 64;

  private PieceCounts() {}

  /** Pieces that are read one after another. */
  static int alone(long bytes) {
    return count(ALONE_BYTES, bytes);
  }

  /** Pieces of a list, as an executor posts them. */
  static int ofList(long bytes) {
    return count(LIST_BYTES, bytes);
  }

  private static int count(long total, long bytes) {
    return Math.clamp(total / bytes, 1, MOST);
  }
}
