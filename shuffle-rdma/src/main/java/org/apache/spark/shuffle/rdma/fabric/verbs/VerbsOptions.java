package org.apache.spark.shuffle.rdma.fabric.verbs;

import java.net.InetAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How a {@link VerbsFabric} starts.
 *
 * @param addresses this machine's addresses that may be used, the best first; the first that
 *     belongs to a usable device is the one
 * @param device the kernel's name of the device, such as mlx5_0; empty for any
 * @param port the device's port, from 1; 0 for any
 * @param trafficClass for IP's header, 0 to 255; 0 leaves it to the system
 * @param retries transmissions again without an acknowledgement, 0 to 6
 * @param notReadyRetries transmissions again to a peer that isn't ready, 0 to 6
 * @param readDepth READs under way at a time on a connection, 1 to 255; both devices may set less
 * @param connectTimeoutMillis how long a connect may take, waiting for its turn included
 * @param maxConnecting connects that go on at once, from 1
 * @param maxConnections connections to peers that are open at once, from 1
 * @param maxAccepted connections of peers that are open at once, from 1
 * @param idleMillis how long a connection to a peer stays open without a read
 * @param secret the application's secret, 1 byte or more, which peers must prove; null when
 *     spark.authenticate is off
 * @param owner the executor's id, for logs, thread names and the proof; 1 to {@value
 *     VerbsAddress#MAX_OWNER_BYTES} bytes of UTF-8
 */
@SuppressWarnings("ArrayRecordComponent") // Compared by nobody.
public record VerbsOptions(
    List<InetAddress> addresses,
    String device,
    int port,
    int trafficClass,
    int retries,
    int notReadyRetries,
    int readDepth,
    int connectTimeoutMillis,
    int maxConnecting,
    int maxConnections,
    int maxAccepted,
    int idleMillis,
    byte @Nullable [] secret,
    String owner) {

  /** Says whether there is a secret, never which. */
  @Override
  public String toString() {
    return "VerbsOptions[addresses=" + addresses + ", device=" + device + ", owner=" + owner + "]";
  }
}
