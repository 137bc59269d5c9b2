package org.apache.spark.shuffle.rdma.fabric.verbs;

import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.spark.shuffle.rdma.fabric.Connection;
import org.apache.spark.shuffle.rdma.fabric.Connection.Read;
import org.apache.spark.shuffle.rdma.fabric.Fabric;
import org.apache.spark.shuffle.rdma.fabric.FabricException;
import org.apache.spark.shuffle.rdma.fabric.FabricException.Kind;
import org.apache.spark.shuffle.rdma.fabric.Nonce;
import org.apache.spark.shuffle.rdma.fabric.Region;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sparkrdma.verbs.CompletionBuffer;
import org.sparkrdma.verbs.ConnectionManager;
import org.sparkrdma.verbs.ConnectionOptions;
import org.sparkrdma.verbs.Device;
import org.sparkrdma.verbs.ProtectionDomain;
import org.sparkrdma.verbs.RdmaClosedException;
import org.sparkrdma.verbs.RdmaException;
import org.sparkrdma.verbs.RdmaUnavailableException;

/**
 * The fabric over an RDMA device: InfiniBand, RoCE or iWARP. Each peer that is read has a reliable
 * connection of its own, made by rdma_cm when first wanted and closed when idle for long; all share
 * two protection domains and the pollers' completion queues.
 *
 * <p>Threads, all named rdma-verbs-*: the pollers, one each to listen, for the device's events and
 * for time, and few to connect, to let peers in and to end connections.
 */
public final class VerbsFabric implements Fabric {

  private static final Logger LOG = LoggerFactory.getLogger(VerbsFabric.class);

  /** Connections that end at the same time. */
  private static final int CLOSERS = 32;

  /** A flush may take 5 s, a close on iWARP 10 s more. */
  private static final long CLOSE_MILLIS = 20_000;

  private final VerbsOptions options;
  private final ConnectionManager manager;
  private final Device device;

  /** Of what peers read, and the queue pairs that serve them. */
  private final ProtectionDomain servingDomain;

  /** Of this side's reads and their buffers, whose keys are of no use in the other domain. */
  private final ProtectionDomain readingDomain;

  private final VerbsAddress address;
  private final Place place;
  private final OpenConnections connections;
  private final Connector connector;
  private final ExecutorService connectors;
  private final ExecutorService closers;
  private final ScheduledThreadPoolExecutor timer;
  private final Acceptor acceptor;
  private final DeviceWatch watch;
  private final AtomicBoolean closed = new AtomicBoolean();
  private volatile @Nullable FabricException lost;
  private volatile boolean portDown;

  private VerbsFabric(ConnectionManager manager, PortChoice choice, VerbsOptions options) {
    this.options = options;
    this.manager = manager;
    this.device = choice.device();
    this.servingDomain = device.allocateProtectionDomain();
    this.readingDomain = device.allocateProtectionDomain();
    Nonce start = Nonce.random();
    InetSocketAddress local = choice.listener().address();
    this.address = new VerbsAddress(local.getAddress(), local.getPort(), start, options.owner());
    this.place =
        new Place(
            device.info().name() + " port " + choice.port(),
            local.getAddress().getHostAddress() + ":" + local.getPort());
    Credentials credentials = new Credentials(start, options.owner(), options.secret());
    ConnectionOptions connectionOptions =
        ConnectionOptions.defaults()
            .withReads(options.readDepth(), options.readDepth())
            .withRetries(options.retries(), options.notReadyRetries());
    this.connections = new OpenConnections(options.maxConnections());
    String owner = options.owner();
    // Neither has a limit of waiting work: it's one connect for each peer, which gives up by its
    // deadline, and one end for each connection.
    this.connectors =
        Threads.few(options.maxConnecting(), Integer.MAX_VALUE, "rdma-verbs-connect-" + owner);
    this.closers = Threads.few(CLOSERS, Integer.MAX_VALUE, "rdma-verbs-close-" + owner);
    this.timer = new ScheduledThreadPoolExecutor(1, Threads.named("rdma-verbs-timer-" + owner));
    timer.setRemoveOnCancelPolicy(true);
    this.connector =
        new Connector(
            this,
            options,
            manager,
            readingDomain,
            choice,
            credentials,
            connectionOptions,
            connections);
    this.watch = new DeviceWatch(this, device, choice.port(), owner);
    this.acceptor =
        new Acceptor(
            this, choice.listener(), servingDomain, credentials, options, connectionOptions);
    long idleNanos = TimeUnit.MILLISECONDS.toNanos(options.idleMillis());
    var _ =
        timer.scheduleWithFixedDelay(
            () -> connections.closeIdle(idleNanos),
            idleNanos / 4,
            idleNanos / 4,
            TimeUnit.NANOSECONDS);
  }

  /**
   * Opens a device and listens.
   *
   * @throws FabricException DEVICE_LOST if no device can be used, with the reason and the remedy
   */
  public static VerbsFabric start(VerbsOptions options) throws FabricException {
    ConnectionManager manager = null;
    PortChoice choice = null;
    VerbsFabric fabric = null;
    try {
      manager = ConnectionManager.open();
      choice = PortChoice.choose(manager, options);
      fabric = new VerbsFabric(manager, choice, options);
      LOG.info(
          "The verbs fabric listens: {}, {}, {}",
          fabric.address,
          choice.device().info(),
          choice.device().port(choice.port()));
      return fabric;
    } catch (RdmaUnavailableException e) {
      throw new FabricException(
          Kind.DEVICE_LOST, "no RDMA here (" + e.reason() + "): " + e.getMessage(), e);
    } catch (RdmaException e) {
      throw new FabricException(
          Kind.DEVICE_LOST, "the RDMA device can't be used: " + e.getMessage(), e);
    } finally {
      if (fabric == null) {
        if (choice != null) {
          closeQuietly(choice.device());
        }
        if (manager != null) {
          closeQuietly(manager);
        }
      }
    }
  }

  /** The address of this machine that the fabric listens at, which is the device's. */
  public InetAddress host() {
    return address.host();
  }

  @Override
  public boolean pins() {
    return true;
  }

  @Override
  public String name() {
    return "verbs";
  }

  @Override
  public byte[] address() {
    return address.encode();
  }

  @Override
  public Place place() {
    return place;
  }

  @Override
  public Region register(MemorySegment memory, Fabric.Access access) throws FabricException {
    if (!memory.isNative() || memory.byteSize() < 1) {
      throw new IllegalArgumentException(
          "only native memory of 1 byte or more can be registered: " + memory);
    }
    requireUsable();
    try {
      ProtectionDomain domain = access == Fabric.Access.REMOTE_READ ? servingDomain : readingDomain;
      return new VerbsRegion(
          this, domain.register(memory, Rights.ofRegion(access, device)), access);
    } catch (RdmaClosedException e) {
      throw closedException();
    } catch (RdmaException e) {
      throw new FabricException(Kind.REGISTRATION_REFUSED, String.valueOf(e.getMessage()), e);
    }
  }

  @Override
  public CompletableFuture<Connection> connect(byte[] encoded) {
    CompletableFuture<Connection> future = new CompletableFuture<>();
    try {
      VerbsAddress peer = VerbsAddress.parse(encoded);
      requireUsable();
      if (portDown) {
        throw portIsDown();
      }
      long deadline =
          System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(options.connectTimeoutMillis());
      connectors.execute(() -> connect(peer, deadline, future));
      // A turn that doesn't come in time is no reason to wait for longer.
      var expiry =
          timer.schedule(
              () ->
                  future.completeExceptionally(
                      new FabricException(Kind.PEER_UNREACHABLE, late(peer))),
              options.connectTimeoutMillis(),
              TimeUnit.MILLISECONDS);
      var _ = future.whenComplete((made, failure) -> expiry.cancel(false));
    } catch (FabricException e) {
      future.completeExceptionally(e);
    } catch (RejectedExecutionException e) {
      future.completeExceptionally(closedException());
    }
    return future;
  }

  private String late(VerbsAddress peer) {
    return "no connection to " + peer + " within " + options.connectTimeoutMillis() + " ms";
  }

  private void connect(
      VerbsAddress peer, long deadlineNanos, CompletableFuture<Connection> future) {
    if (future.isDone()) {
      return;
    }
    if (closed.get()) {
      future.completeExceptionally(closedException());
      return;
    }
    try {
      VerbsConnection made = connector.connect(peer, deadlineNanos);
      FabricException end = lost;
      if (closed.get()) {
        made.close();
      } else if (end != null) {
        made.breakOff(end);
      } else if (portDown) {
        made.breakOff(portIsDown());
      }
      if (!future.complete(made)) {
        made.close(); // Too late, or who asked has cancelled.
      }
    } catch (FabricException e) {
      future.completeExceptionally(e);
    } catch (RuntimeException e) {
      future.completeExceptionally(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      future.completeExceptionally(closedException());
    }
  }

  /**
   * What is to be said of a list before it's posted.
   *
   * @return a failure of the list, or null
   * @throws IllegalArgumentException if it could only be a caller's mistake
   */
  @Nullable FabricException check(List<Read> reads) {
    if (reads.isEmpty()) {
      throw new IllegalArgumentException("a read list needs 1 read or more");
    }
    for (Read read : reads) {
      if (!(read.local() instanceof VerbsRegion region)
          || region.fabric() != this
          || region.access() != Fabric.Access.LOCAL_WRITE
          || (region.region().isClosed() && !closed.get())) {
        throw new IllegalArgumentException(
            "a destination must be an open LOCAL_WRITE region of the connection's fabric");
      }
      if (read.remoteKey() >>> Integer.SIZE != 0) {
        return new FabricException(Kind.ACCESS_ERROR, "a remote key has 32 bits");
      }
    }
    return null;
  }

  /** Hands a completion to its connection; on a poller's thread. */
  void completed(CompletionBuffer completions, int index) {
    VerbsConnection connection =
        connections.get(VerbsConnection.connectionOf(completions.id(index)));
    if (connection != null) {
      connection.completed(completions, index);
    }
  }

  void ended(VerbsConnection connection) {
    connections.remove(connection);
  }

  /** Runs something that may wait for the kernel; never throws. */
  void inBackground(Runnable work) {
    try {
      closers.execute(work);
    } catch (RejectedExecutionException e) {
      LOG.debug("The fabric has closed, and the device with what was on it", e);
    } catch (OutOfMemoryError e) {
      // It stays until the fabric closes; the thread that wanted to end it must go on.
      LOG.error("No thread can be had to end a connection", e);
    }
  }

  boolean isDeviceLost() {
    return lost != null || portDown;
  }

  /** The device is gone or broken for good: everything on it ends, and blocks go by TCP. */
  void deviceLost(String why) {
    if (lost == null && !closed.get()) {
      FabricException end =
          new FabricException(Kind.DEVICE_LOST, "device " + device.name() + " is lost: " + why);
      lost = end;
      LOG.error("{}; blocks go by TCP from now on", end.getMessage());
      connections.breakOff(end);
    }
  }

  void portChanged(boolean active) {
    portDown = !active;
    if (active) {
      LOG.info("The port of {} is active again", device);
    } else {
      LOG.warn("The port of {} went down; blocks go by TCP until it's up again", device);
      connections.breakOff(portIsDown());
    }
  }

  private FabricException portIsDown() {
    return new FabricException(Kind.DEVICE_LOST, "the port of " + device + " is down");
  }

  private void requireUsable() throws FabricException {
    FabricException end = lost;
    if (closed.get()) {
      throw closedException();
    }
    if (end != null) {
      throw end;
    }
  }

  private static FabricException closedException() {
    return new FabricException(Kind.CLOSED, "the verbs fabric is closed");
  }

  @Override
  public void close() {
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    timer.shutdownNow();
    connectors.shutdown();
    connections.close();
    connections.breakOff(closedException());
    closeQuietly(acceptor);
    if (!Threads.end(connectors, options.connectTimeoutMillis())) {
      LOG.warn("A connect takes longer than its deadline");
    }
    // What was connected meanwhile closes itself.
    if (!Threads.end(closers, CLOSE_MILLIS)) {
      LOG.warn("{} connections didn't end within {} ms", connections.size(), CLOSE_MILLIS);
    }
    closeQuietly(connector);
    // Whatever is left on it: queue pairs first, then regions, queues and the domains.
    closeQuietly(device);
    closeQuietly(watch);
    closeQuietly(manager);
  }

  /**
   * A device that has gone may refuse to free what was on it; the others are freed all the same.
   */
  private static void closeQuietly(AutoCloseable resource) {
    try {
      resource.close();
    } catch (Exception e) {
      LOG.warn("Couldn't close {} in full", resource, e);
    }
  }
}
