package org.apache.spark.shuffle.rdma.fabric.software;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Listens for peers and keeps their connections: a platform thread that accepts, a virtual thread
 * for each connection. No client can end the accept loop.
 */
final class Responder implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(Responder.class);

  /** More executors than Spark runs for one application in practice; each takes 32 KiB. */
  static final int MAX_CONNECTIONS = 4096;

  private static final int BACKLOG = 1024;

  /** Bad clients that are worth a warning; later ones are logged for debugging alone. */
  private static final int WARNINGS = 10;

  private final SoftwareFabric fabric;
  private final ServerSocketChannel listener;
  private final ResponderHandshake handshake;
  private final int maxConnections;
  private final Set<ResponderConnection> connections = ConcurrentHashMap.newKeySet();
  private final AtomicInteger warnings = new AtomicInteger();
  private final Thread acceptor;
  private volatile boolean closed;

  /** Takes over the listener, bound already. */
  Responder(
      SoftwareFabric fabric,
      ServerSocketChannel listener,
      ResponderHandshake handshake,
      String owner,
      int maxConnections) {
    this.fabric = fabric;
    this.listener = listener;
    this.handshake = handshake;
    this.maxConnections = maxConnections;
    this.acceptor =
        Thread.ofPlatform().daemon().name("rdma-software-accept-" + owner).unstarted(this::accept);
  }

  static ServerSocketChannel listen(InetSocketAddress at) throws IOException {
    ServerSocketChannel listener = ServerSocketChannel.open();
    try {
      return listener.bind(at, BACKLOG);
    } catch (IOException | RuntimeException e) {
      Deadlines.closeQuietly(listener);
      throw e;
    }
  }

  void start() {
    acceptor.start();
  }

  Thread thread() {
    return acceptor;
  }

  private void accept() {
    while (!closed) {
      try {
        serve(listener.accept());
      } catch (ClosedChannelException e) {
        return;
      } catch (IOException | RuntimeException | OutOfMemoryError e) {
        // Out of descriptors or threads, most likely: others will close, so go on after a pause.
        warn("Accepting a connection failed", e);
        LockSupport.parkNanos(100_000_000);
      }
    }
  }

  private void serve(SocketChannel channel) throws IOException {
    boolean started = false;
    try {
      channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
      // A peer whose host died is found out, if late, and its place freed.
      channel.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
      if (connections.size() >= maxConnections) {
        channel.configureBlocking(false);
        channel.write(ResponderHandshake.full());
        return;
      }
      ResponderConnection connection = new ResponderConnection(this, channel);
      connections.add(connection);
      started = !closed && fabric.crew().start("serve-" + channel.getRemoteAddress(), connection);
      if (!started) {
        connections.remove(connection);
      }
    } finally {
      if (!started) {
        Deadlines.closeQuietly(channel);
      }
    }
  }

  int size() {
    return connections.size();
  }

  void ended(ResponderConnection connection) {
    connections.remove(connection);
  }

  /** Closes the connections whose answers are being read from a region. */
  void evict(SoftwareRegion region) {
    for (ResponderConnection connection : connections) {
      if (connection.holds(region)) {
        LOG.warn(
            "A peer reads so slowly that a closing region of {} bytes can't wait; its connection"
                + " is closed",
            region.length());
        connection.close();
      }
    }
  }

  /** Closes connections of peers that for this long sent nothing, and took nothing of an answer. */
  void closeIdle(long millis) {
    for (ResponderConnection connection : connections) {
      if (connection.closeIfIdle(millis)) {
        LOG.debug("A peer's connection was idle for {} ms and is closed", millis);
      }
    }
  }

  void report(SocketChannel channel, Throwable e) {
    if (!closed && !(e instanceof ClosedChannelException)) {
      warn("The connection of a peer (" + channel + ") ended", e);
    }
  }

  private void warn(String what, Throwable e) {
    if (warnings.getAndIncrement() < WARNINGS) {
      LOG.warn("{}: {}", what, e.toString());
    } else {
      LOG.debug("{}", what, e);
    }
  }

  Future<?> helloDeadline(SocketChannel channel) {
    return fabric.deadline(channel);
  }

  ResponderHandshake handshake() {
    return handshake;
  }

  RegionTable regions() {
    return fabric.regions();
  }

  /** Takes nobody more and ends all; their threads end soon after. */
  @Override
  public void close() {
    closed = true;
    Deadlines.closeQuietly(listener);
    boolean interrupted = Thread.interrupted();
    try {
      acceptor.join(10_000);
    } catch (InterruptedException e) {
      interrupted = true;
    }
    connections.forEach(ResponderConnection::close);
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
