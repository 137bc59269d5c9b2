package org.sparkrdma.verbs;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;

/**
 * A peer that wants to connect. Make a queue pair, post receives if the peer may send at once, then
 * accept; or reject. Closing it without either rejects, too. Belongs to one thread at a time.
 */
public final class ConnectionRequest implements AutoCloseable {
  private final CmIdentifier identifier;
  private final CmEvent request;
  private boolean done;

  ConnectionRequest(CmIdentifier identifier, CmEvent request) {
    this.identifier = identifier;
    this.request = request;
  }

  /** Name of the device that the request came in by. */
  public String deviceName() {
    return identifier.deviceName();
  }

  public InetSocketAddress peerAddress() {
    return identifier.peerAddress();
  }

  public InetSocketAddress localAddress() {
    return identifier.localAddress();
  }

  /**
   * What the peer sent along. InfiniBand and RoCE pad it with zero bytes to 56, so it should say
   * its own length.
   */
  public byte[] privateData() {
    return request.privateData().clone();
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
   * Accepts, and waits until the peer knows. If that fails, this is closed.
   *
   * @param privateData up to 196 bytes for the peer
   * @throws ConnectException if the peer has gone
   * @throws RdmaTimeoutException at the deadline
   */
  public Connection accept(ConnectionOptions options, byte[] privateData, long timeoutMillis) {
    ConnectionSetup.checkSize(privateData, ConnectionSetup.MAX_ACCEPT_DATA_BYTES);
    Deadline deadline = Deadline.after(timeoutMillis);
    QueuePair pair = identifier.queuePair();
    Device device = pair.protectionDomain().device();
    int served = Math.min(options.readsServedOn(device), request.responderResources());
    int issued = Math.min(options.readsIssuedOn(device), request.initiatorDepth());
    done = true;
    try {
      try (Arena arena = Arena.ofConfined()) {
        MemorySegment parameters =
            ConnectionSetup.parameters(arena, options, served, issued, privateData);
        String detail = "from " + peerAddress();
        identifier.useQueuePair(() -> CmCalls.accept(identifier.id(), parameters, detail));
      }
      identifier.await(
          CmEvent.Type.ESTABLISHED, deadline, "accepting the connection from " + peerAddress());
      QueuePairSetup.afterConnect(pair, options);
      return new Connection(identifier, pair, request.privateData(), issued);
    } catch (VerbException e) {
      identifier.closeBehind(e);
      throw ConnectException.of(e, ConnectException.Reason.DISCONNECTED);
    } catch (RdmaException e) {
      identifier.closeAfter(e);
      throw e;
    }
  }

  /**
   * Says no, and closes this.
   *
   * @param privateData up to 148 bytes for the peer, see {@link ConnectException#privateData}
   */
  public void reject(byte[] privateData) {
    ConnectionSetup.checkSize(privateData, ConnectionSetup.MAX_REJECT_DATA_BYTES);
    done = true;
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment data = ConnectionSetup.copy(arena, privateData);
      CmCalls.reject(identifier.id(), data, privateData.length);
    } finally {
      identifier.close();
    }
  }

  /** Rejects, unless accepted: then the connection goes on, and is closed by itself. */
  @Override
  public void close() {
    if (!done) {
      done = true;
      identifier.close();
    }
  }
}
