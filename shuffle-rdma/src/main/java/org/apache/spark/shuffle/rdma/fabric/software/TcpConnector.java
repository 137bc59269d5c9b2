package org.apache.spark.shuffle.rdma.fabric.software;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SocketChannel;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import org.apache.spark.shuffle.rdma.fabric.FabricException;
import org.apache.spark.shuffle.rdma.fabric.FabricException.Kind;

/** Opens TCP connections: connect and handshake within one deadline. */
final class TcpConnector {

  private final SoftwareFabric fabric;
  private final SoftwareOptions options;
  private final Set<SocketChannel> connecting = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  TcpConnector(SoftwareFabric fabric, SoftwareOptions options) {
    this.fabric = fabric;
    this.options = options;
  }

  /** On a virtual thread that may wait. */
  TcpConnection connect(SoftwareAddress peer) throws FabricException {
    SocketChannel channel;
    try {
      channel = SocketChannel.open();
    } catch (IOException e) {
      throw new FabricException(Kind.PEER_UNREACHABLE, "no socket to reach " + peer + ": " + e, e);
    }
    connecting.add(channel);
    boolean connected = false;
    Future<?> deadline = fabric.deadline(channel, options.connectTimeoutMillis());
    try {
      open(channel, peer);
      TcpConnection connection = new TcpConnection(fabric, peer, channel);
      connected = fabric.adopt(connection);
      if (!connected) {
        throw new ClosedChannelException();
      }
      return connection;
    } catch (IOException e) {
      throw explain(peer, e);
    } finally {
      deadline.cancel(false);
      connecting.remove(channel);
      if (!connected) {
        Deadlines.closeQuietly(channel);
      }
    }
  }

  private void open(SocketChannel channel, SoftwareAddress peer) throws IOException {
    if (closed) {
      throw new ClosedChannelException();
    }
    channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
    channel.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
    channel.connect(new InetSocketAddress(peer.host(), peer.port()));
    try (Arena arena = Arena.ofConfined()) {
      // The deadline of the connect sees to a peer that says nothing.
      Activity activity = new Activity();
      SocketInput in = new SocketInput(channel, activity, arena);
      SocketOutput out = new SocketOutput(channel, activity, arena);
      new ReaderHandshake(peer, options.owner(), options.secret()).run(in, out);
      if (in.buffer().hasRemaining()) {
        throw new FabricException(Kind.CONNECT_REFUSED, peer + " answers what wasn't asked");
      }
    }
  }

  private FabricException explain(SoftwareAddress peer, IOException e) {
    if (closed) {
      return Reads.closed(peer);
    }
    return switch (e) {
      case FabricException known -> known;
      case ConnectException refused ->
          new FabricException(Kind.CONNECT_REFUSED, "nobody listens: " + peer, refused);
      case ClosedChannelException late ->
          new FabricException(
              Kind.PEER_UNREACHABLE,
              "no answer within " + options.connectTimeoutMillis() + " ms from " + peer,
              late);
      default -> new FabricException(Kind.PEER_UNREACHABLE, peer + " can't be reached: " + e, e);
    };
  }

  /** Ends the connects that go on, and all later ones. */
  void close() {
    closed = true;
    connecting.forEach(Deadlines::closeQuietly);
  }
}
