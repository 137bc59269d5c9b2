package org.sparkrdma.verbs;

import java.net.InetSocketAddress;

/**
 * A connection whose device and route are known. Make a queue pair, post receives if the peer may
 * send at once, then connect. Belongs to one thread at a time.
 */
public final class ConnectionAttempt implements AutoCloseable {
  private final CmIdentifier identifier;
  private boolean done;

  ConnectionAttempt(CmIdentifier identifier) {
    this.identifier = identifier;
  }

  /** Name of the device that the route goes through. */
  public String deviceName() {
    return identifier.deviceName();
  }

  public InetSocketAddress localAddress() {
    return identifier.localAddress();
  }

  /**
   * Makes the queue pair of this connection.
   *
   * @param domain of the device that {@link #deviceName} names
   */
  public QueuePair createQueuePair(ProtectionDomain domain, QueuePairOptions options) {
    return identifier.createQueuePair(domain, options);
  }

  /**
   * Connects. If that fails, this is closed.
   *
   * @param privateData up to 56 bytes for the listener
   * @throws ConnectException if there is no listener, it rejects, or the network fails
   * @throws RdmaTimeoutException at the deadline, as with a listener that never answers
   */
  public Connection connect(ConnectionOptions options, byte[] privateData, long timeoutMillis) {
    ConnectionSetup.checkSize(privateData, ConnectionSetup.MAX_CONNECT_DATA_BYTES);
    Deadline deadline = Deadline.after(timeoutMillis);
    QueuePair pair = identifier.queuePair();
    Device device = pair.protectionDomain().device();
    int served = options.readsServedOn(device);
    int issued = options.readsIssuedOn(device);
    done = true;
    try {
      identifier.connect(options, served, issued, privateData);
      CmEvent answer = identifier.await(CmEvent.Type.ESTABLISHED, deadline, identifier.toString());
      QueuePairSetup.afterConnect(pair, options);
      int agreed = Math.min(issued, answer.initiatorDepth());
      return new Connection(identifier, pair, answer.privateData(), agreed);
    } catch (RdmaException e) {
      identifier.closeAfter(e);
      throw e;
    }
  }

  /** Gives up, unless connected: then the connection goes on, and is closed by itself. */
  @Override
  public void close() {
    if (!done) {
      done = true;
      identifier.close();
    }
  }
}
