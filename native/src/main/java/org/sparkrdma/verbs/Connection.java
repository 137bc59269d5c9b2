package org.sparkrdma.verbs;

import java.net.InetSocketAddress;

/**
 * An established connection: a queue pair and the identifier that manages it. May be used by any
 * thread.
 */
public final class Connection implements AutoCloseable {
  private final CmIdentifier identifier;
  private final QueuePair queuePair;
  private final byte[] privateData;
  private final int readDepth;
  private final InetSocketAddress localAddress;
  private final InetSocketAddress peerAddress;

  Connection(CmIdentifier identifier, QueuePair queuePair, byte[] privateData, int readDepth) {
    this.identifier = identifier;
    this.queuePair = queuePair;
    this.privateData = privateData;
    this.readDepth = readDepth;
    this.localAddress = identifier.localAddress();
    this.peerAddress = identifier.peerAddress();
  }

  public QueuePair queuePair() {
    return queuePair;
  }

  /** What the peer sent along when it connected or accepted; may be padded with zero bytes. */
  public byte[] privateData() {
    return privateData.clone();
  }

  /**
   * RDMA READs that may be under way at a time, as both ends agreed; more wait in the queue pair.
   */
  public int readDepth() {
    return readDepth;
  }

  public InetSocketAddress localAddress() {
    return localAddress;
  }

  public InetSocketAddress peerAddress() {
    return peerAddress;
  }

  /**
   * Whether the peer has disconnected, or the device was taken away. A peer that died shows only in
   * requests.
   */
  public boolean isDisconnected() {
    return identifier.isEnded();
  }

  /** Whether it ended because the local device was taken away. */
  public boolean isDeviceRemoved() {
    return identifier.isDeviceRemoved();
  }

  /**
   * Runs an action once, when {@link #isDisconnected} becomes true; at once if it is. The
   * connection manager's thread runs it, so it must not wait or close anything.
   */
  public void onDisconnected(Runnable action) {
    identifier.onEnd(action);
  }

  /**
   * Breaks the queue pair, whose requests are flushed, and tells the peer, whose queue pair breaks
   * in turn. Doesn't wait.
   */
  public void disconnect() {
    identifier.disconnect();
  }

  /**
   * Waits until either side has disconnected.
   *
   * @throws RdmaTimeoutException at the deadline
   */
  public void awaitDisconnected(long timeoutMillis) {
    identifier.awaitEnd(Deadline.after(timeoutMillis), "disconnecting from " + peerAddress);
  }

  /** Disconnects if need be and frees the queue pair. Drain its completions before. */
  @Override
  public void close() {
    if (!identifier.isClosed()) {
      try {
        disconnect();
      } catch (RdmaException e) {
        // It was not connected any more, or someone else closes it: closing goes on either way.
      }
    }
    identifier.close();
  }

  @Override
  public String toString() {
    return "connection from " + localAddress + " to " + peerAddress;
  }
}
