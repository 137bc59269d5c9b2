package org.sparkrdma.verbs;

import java.util.Set;

/**
 * How a connection behaves. All retries are finite: the values that mean "for ever" are refused.
 *
 * @param readsIssued RDMA READs under way at a time, at most; clamped to what both devices can
 * @param readsServed RDMA READs of the peer answered at a time, at most; clamped likewise
 * @param retries transmissions again without an acknowledgement, 0 to 6; then RETRY_EXCEEDED
 * @param notReadyRetries transmissions again to a peer with no receive posted, 0 to 6; then
 *     RECEIVER_NOT_READY
 * @param notReadyTimer how long a peer waits then before each: the 5-bit code of the InfiniBand
 *     specification, 1 (0.01 ms) to 31 (491.52 ms), never 0, which means 655 ms
 * @param remoteAccess what the peer may do through this queue pair
 */
public record ConnectionOptions(
    int readsIssued,
    int readsServed,
    int retries,
    int notReadyRetries,
    int notReadyTimer,
    Set<Access> remoteAccess) {

  /** Code for 2.56 ms. */
  private static final int DEFAULT_NOT_READY_TIMER = 16;

  public ConnectionOptions {
    remoteAccess = Set.copyOf(remoteAccess);
    check("readsIssued", readsIssued, 0, 255);
    check("readsServed", readsServed, 0, 255);
    check("retries", retries, 0, 6);
    check("notReadyRetries", notReadyRetries, 0, 6);
    check("notReadyTimer", notReadyTimer, 1, 31);
    if (remoteAccess.contains(Access.LOCAL_WRITE)) {
      throw new IllegalArgumentException("LOCAL_WRITE is not an access of peers");
    }
  }

  private static void check(String name, int value, int least, int most) {
    if (value < least || value > most) {
      throw new IllegalArgumentException(
          name + " is " + value + ", must be " + least + " to " + most);
    }
  }

  /** 16 READs each way, 6 retries of both kinds, 2.56 ms, peers may read and nothing else. */
  public static ConnectionOptions defaults() {
    return new ConnectionOptions(16, 16, 6, 6, DEFAULT_NOT_READY_TIMER, Set.of(Access.REMOTE_READ));
  }

  /** The same with other things allowed to the peer. */
  public ConnectionOptions withRemoteAccess(Set<Access> access) {
    return new ConnectionOptions(
        readsIssued, readsServed, retries, notReadyRetries, notReadyTimer, access);
  }

  /** The same with other read depths. */
  public ConnectionOptions withReads(int issued, int served) {
    return new ConnectionOptions(
        issued, served, retries, notReadyRetries, notReadyTimer, remoteAccess);
  }

  /** The same with other retries. */
  public ConnectionOptions withRetries(int unacknowledged, int notReady) {
    return new ConnectionOptions(
        readsIssued, readsServed, unacknowledged, notReady, notReadyTimer, remoteAccess);
  }

  int readsIssuedOn(Device device) {
    return Math.min(readsIssued, device.attributes().maxReadsIssued());
  }

  int readsServedOn(Device device) {
    return Math.min(readsServed, device.attributes().maxReadsServed());
  }
}
