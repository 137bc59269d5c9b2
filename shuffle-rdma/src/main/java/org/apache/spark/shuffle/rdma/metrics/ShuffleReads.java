package org.apache.spark.shuffle.rdma.metrics;

/**
 * What tasks got of a shuffle from other executors.
 *
 * @param readBlocks blocks that came by READ
 * @param readBytes bytes of them
 * @param tcpBlocks blocks that came by Spark's TCP path
 * @param tcpBytes bytes of them
 */
public record ShuffleReads(
    int shuffleId, long readBlocks, long readBytes, long tcpBlocks, long tcpBytes) {

  public static ShuffleReads none(int shuffleId) {
    return new ShuffleReads(shuffleId, 0, 0, 0, 0);
  }

  /** The sum, of the same shuffle. */
  public ShuffleReads plus(ShuffleReads other) {
    return new ShuffleReads(
        shuffleId,
        readBlocks + other.readBlocks,
        readBytes + other.readBytes,
        tcpBlocks + other.tcpBlocks,
        tcpBytes + other.tcpBytes);
  }

  boolean isEmpty() {
    return (readBlocks | readBytes | tcpBlocks | tcpBytes) == 0;
  }
}
