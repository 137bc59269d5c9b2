package org.apache.spark.shuffle.rdma.doctor.path;

/**
 * What was measured with pieces of one size.
 *
 * @param bytes of a piece
 * @param readMicros a READ alone, from its post to its completion
 * @param readGigabytes per second, of a list of READs
 * @param tcpMicros a request and its answer alone
 * @param tcpGigabytes per second, of a stream
 */
public record SizeResult(
    long bytes, Spread readMicros, Spread readGigabytes, Spread tcpMicros, Spread tcpGigabytes) {

  /** How many times TCP's bandwidth the READs have. */
  public double ratio() {
    return readGigabytes.median() / tcpGigabytes.median();
  }
}
