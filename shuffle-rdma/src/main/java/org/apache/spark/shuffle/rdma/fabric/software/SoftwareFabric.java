package org.apache.spark.shuffle.rdma.fabric.software;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.Channel;
import java.nio.channels.ServerSocketChannel;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.spark.shuffle.rdma.fabric.Connection;
import org.apache.spark.shuffle.rdma.fabric.Fabric;
import org.apache.spark.shuffle.rdma.fabric.FabricException;
import org.apache.spark.shuffle.rdma.fabric.FabricException.Kind;
import org.apache.spark.shuffle.rdma.fabric.Nonce;
import org.apache.spark.shuffle.rdma.fabric.Region;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A fabric for machines with no RDMA device: peers on the same host are read with process_vm_readv,
 * where the operating system lets this process, and all others over TCP by their responder.
 *
 * <p>Threads: one platform thread accepts, one keeps deadlines; each TCP connection has a virtual
 * thread on the responder's side and two on the reader's. Don't call {@link #close()} from a
 * completion: it can't wait for the thread that it runs on.
 */
public final class SoftwareFabric implements Fabric {

  private static final Logger LOG = LoggerFactory.getLogger(SoftwareFabric.class);

  private static final long CLOSE_MILLIS = 10_000;

  private final SoftwareOptions options;
  private final Arena arena = Arena.ofShared();
  private final MemorySegment nonceMemory = arena.allocate(Nonce.BYTES, Long.BYTES);
  private final RegionTable regions = new RegionTable();
  private final Crew crew = new Crew();
  private final Deadlines deadlines;
  private final Set<TcpConnection> connections = ConcurrentHashMap.newKeySet();
  private final TcpConnector connector;
  private final Responder responder;
  private final @Nullable DirectReader direct;
  private final SoftwareAddress address;
  private final AtomicBoolean closed = new AtomicBoolean();

  private SoftwareFabric(
      SoftwareOptions options,
      @Nullable ProcessMemory memory,
      ServerSocketChannel listener,
      int maxConnections)
      throws IOException {
    this.options = options;
    this.deadlines = new Deadlines(options.owner());
    this.connector = new TcpConnector(this, options);
    Nonce nonce = Nonce.random();
    IovecArea.writeNonce(nonceMemory, nonce);
    InetSocketAddress local = (InetSocketAddress) listener.getLocalAddress();
    this.address =
        new SoftwareAddress(
            local.getAddress(),
            local.getPort(),
            (int) ProcessHandle.current().pid(),
            nonce,
            nonceMemory.address(),
            Nonce.ofThisBoot(),
            options.owner());
    ResponderHandshake handshake = new ResponderHandshake(nonce, options.owner(), options.secret());
    this.responder = new Responder(this, listener, handshake, options.owner(), maxConnections);
    this.regions.evictWith(responder::evict);
    this.direct = memory == null ? null : new DirectReader(memory, regions);
  }

  /**
   * Listens at an ephemeral port of the bind host.
   *
   * @throws FabricException DEVICE_LOST if it can't listen there
   * @throws IllegalArgumentException if the bind host is a wildcard address
   */
  public static SoftwareFabric start(SoftwareOptions options) throws FabricException {
    return start(
        options, options.direct() ? nativeMemory(options) : null, Responder.MAX_CONNECTIONS);
  }

  /** For tests: with another way to read processes, and another limit of accepted connections. */
  static SoftwareFabric start(
      SoftwareOptions options, @Nullable ProcessMemory memory, int maxConnections)
      throws FabricException {
    ServerSocketChannel listener = null;
    try {
      InetAddress host = InetAddress.getByName(options.bindHost());
      if (host.isAnyLocalAddress()) {
        throw new IllegalArgumentException(
            "peers can't connect to the wildcard address " + options.bindHost());
      }
      listener = Responder.listen(new InetSocketAddress(host, 0));
      SoftwareFabric fabric = new SoftwareFabric(options, memory, listener, maxConnections);
      fabric.responder.start();
      fabric.deadlines.every(Math.max(1, options.idleMillis() / 4), fabric::closeIdle);
      LOG.info("The software fabric listens: {}, direct reads {}", fabric.address, memory != null);
      return fabric;
    } catch (IOException e) {
      if (listener != null) {
        Deadlines.closeQuietly(listener);
      }
      throw new FabricException(
          Kind.DEVICE_LOST, "the software fabric can't listen at " + options.bindHost(), e);
    }
  }

  private static @Nullable ProcessMemory nativeMemory(SoftwareOptions options) {
    try {
      ProcessMemory memory = new Libc();
      if (options.allowPtracer() && PtraceDiagnosis.yamaScope() == 1) {
        LOG.info("Every process of this user may read this one now: {}", Libc.letAnyProcessRead());
      }
      return memory;
    } catch (IllegalCallerException | LinkageError | UnsupportedOperationException e) {
      LOG.warn(
          "Native access is denied, so peers on this host are read by TCP, which is slower. Remedy:"
              + " --enable-native-access=ALL-UNNAMED in the executor's Java options. ({})",
          e.toString());
      return null;
    }
  }

  @Override
  public boolean pins() {
    return false;
  }

  /** The address of this machine that the fabric listens at. */
  public InetAddress host() {
    return address.host();
  }

  @Override
  public String name() {
    return "software";
  }

  @Override
  public byte[] address() {
    return address.encode();
  }

  @Override
  public Place place() {
    return new Place(
        "process " + address.pid(), address.host().getHostAddress() + ":" + address.port());
  }

  @Override
  public Region register(MemorySegment memory, Access access) throws FabricException {
    if (!memory.isNative() || memory.byteSize() < 1) {
      throw new IllegalArgumentException(
          "only native memory of 1 byte or more can be registered: " + memory);
    }
    if (!memory.isAccessibleBy(responder.thread())) {
      throw new IllegalArgumentException("memory of a confined arena is for one thread: " + memory);
    }
    if (access == Access.LOCAL_WRITE && memory.isReadOnly()) {
      throw new IllegalArgumentException("LOCAL_WRITE for read-only memory: " + memory);
    }
    return regions.add(memory, access);
  }

  @Override
  public CompletableFuture<Connection> connect(byte[] encoded) {
    CompletableFuture<Connection> future = new CompletableFuture<>();
    SoftwareAddress peer;
    try {
      peer = SoftwareAddress.parse(encoded);
    } catch (FabricException e) {
      future.completeExceptionally(e);
      return future;
    }
    if (!crew.start("connect-" + peer.owner(), () -> connect(peer, future))) {
      future.completeExceptionally(Reads.closed(peer));
    }
    return future;
  }

  private void connect(SoftwareAddress peer, CompletableFuture<Connection> future) {
    try {
      Connection connection = direct == null ? null : direct.connect(peer);
      if (connection == null) {
        connection = connector.connect(peer);
      }
      if (!future.complete(connection)) {
        connection.close(); // Who asked has cancelled.
      }
    } catch (FabricException | RuntimeException e) {
      future.completeExceptionally(e);
    }
  }

  /** Takes a connected TCP connection in and starts it; false if the fabric is closing. */
  boolean adopt(TcpConnection connection) {
    connections.add(connection);
    if (!connection.start()) {
      connections.remove(connection);
      return false;
    }
    if (closed.get()) {
      connection.close();
    }
    return true;
  }

  /** A reader closes first; the responder sees to those that don't. */
  private void closeIdle() {
    connections.forEach(connection -> connection.closeIfIdle(options.idleMillis()));
    responder.closeIdle(2L * options.idleMillis());
  }

  void ended(TcpConnection connection) {
    connections.remove(connection);
  }

  /** For tests: how many peers are connected here. */
  int acceptedConnections() {
    return responder.size();
  }

  Crew crew() {
    return crew;
  }

  RegionTable regions() {
    return regions;
  }

  Future<?> deadline(Channel channel) {
    return deadline(channel, options.connectTimeoutMillis());
  }

  Future<?> deadline(Channel channel, long millis) {
    return deadlines.closeAfter(channel, millis);
  }

  @Override
  public void close() {
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    // Peers' direct reads notice this: each of their lists ends with the nonce.
    IovecArea.writeNonce(nonceMemory, Nonce.ZERO);
    responder.close();
    connector.close();
    connections.forEach(TcpConnection::close);
    if (direct != null) {
      direct.close();
    }
    crew.close(CLOSE_MILLIS);
    regions.closeAll();
    deadlines.close();
    arena.close();
  }
}
