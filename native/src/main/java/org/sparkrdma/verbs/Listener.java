package org.sparkrdma.verbs;

import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/** Takes in connection requests on one address. May be used by any thread. */
public final class Listener implements AutoCloseable {
  private final CmIdentifier identifier;

  Listener(CmIdentifier identifier) {
    this.identifier = identifier;
  }

  /** Where it listens, with the port that was taken if 0 was asked for. */
  public InetSocketAddress address() {
    return identifier.localAddress();
  }

  /** Name of the device that has the address; null if it is the wildcard address. */
  public @Nullable String deviceName() {
    return identifier.hasDevice() ? identifier.deviceName() : null;
  }

  /** The device's port that has the address, from 1; 0 if it is the wildcard address. */
  public int port() {
    return identifier.port();
  }

  /**
   * Waits for the next connection request. It has to be accepted, rejected or closed.
   *
   * @throws RdmaTimeoutException at the deadline
   * @throws RdmaClosedException if this is closed meanwhile
   */
  public ConnectionRequest accept(long timeoutMillis) {
    CmEvent request = identifier.awaitRequest(Deadline.after(timeoutMillis));
    return new ConnectionRequest(identifier.manager().adopt(request), request);
  }

  /** Stops listening and rejects requests that wait. Accepted connections go on. */
  @Override
  public void close() {
    identifier.close();
  }

  @Override
  public String toString() {
    return identifier.toString();
  }
}
