package org.apache.spark.shuffle.rdma.fabric.verbs;

import org.sparkrdma.verbs.Device;

/**
 * Into how many work requests a read is split.
 *
 * @param maxBytes of one, the port's largest message
 * @param smallAtPages whether small ones end at a page of the peer's: see {@link #of}
 */
record ReadSplit(long maxBytes, boolean smallAtPages) {

  /** siw claims 4 GiB less 1, and a local buffer has less than 2 GiB. */
  private static final long MOST_BYTES = 1L << 30;

  private static final long PAGE_BYTES = 4096;

  /** Above siw's limit, which is 32. */
  private static final long SMALL_BYTES = 64;

  /**
   * What a device needs. On iWARP small reads stay within a page: Linux's siw answers a READ of up
   * to 32 bytes that crosses one with wrong data and a good completion (siw_try_1seg in
   * drivers/infiniband/sw/siw/siw_qp_tx.c takes the length of the second part for that of the
   * first; seen on 7.3). Few reads are concerned, so cards pay hardly anything.
   */
  static ReadSplit of(Device device, int port) {
    long maxBytes = Math.min(device.port(port).maxMessageBytes(), MOST_BYTES);
    return new ReadSplit(maxBytes, device.readSinkNeedsRemoteWrite());
  }

  /**
   * Bytes of the next work request.
   *
   * @param remoteAddress where it begins
   * @param leftBytes of the read, 1 or more
   */
  long next(long remoteAddress, long leftBytes) {
    long bytes = Math.min(leftBytes, maxBytes);
    return smallAtPages && bytes <= SMALL_BYTES
        ? Math.min(bytes, PAGE_BYTES - (remoteAddress & (PAGE_BYTES - 1)))
        : bytes;
  }
}
