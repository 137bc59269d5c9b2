package org.sparkrdma.verbs;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.sparkrdma.verbs.ffi.rdma_cm_id;
import org.sparkrdma.verbs.ffi.rdma_event_channel;
import org.sparkrdma.verbs.ffi.rdma_verbs_h;

/**
 * Makes and accepts connections by IP address. One per process is enough: steps of many connections
 * wait side by side, each in its caller's thread, while a thread of this class takes in librdmacm's
 * events.
 *
 * <p>A client resolves, makes a queue pair, posts receives if it wants any, connects: {@link
 * #resolve}, {@link ConnectionAttempt#createQueuePair}, {@link ConnectionAttempt#connect}. A server
 * does the same with {@link #listen}, {@link Listener#accept}, {@link
 * ConnectionRequest#createQueuePair} and {@link ConnectionRequest#accept}.
 */
public final class ConnectionManager extends RdmaResource {
  private static final long PAUSE_NANOS = 1_000_000;

  private final MemorySegment channel;
  private final Waiter waiter;

  /**
   * Held while librdmacm takes in an event, since it works on that connection's queue pair then.
   */
  private final ReentrantLock eventLock = new ReentrantLock();

  private final Map<Long, CmIdentifier> identifiers = new ConcurrentHashMap<>();
  private final Thread events;
  private volatile boolean stopping;

  private ConnectionManager(MemorySegment channel) {
    this.channel = channel;
    int descriptor = rdma_event_channel.fd(channel);
    // Closing an identifier takes its pending events away, maybe after this thread was woken for
    // one.
    Descriptors.setNonBlocking(descriptor);
    this.waiter = new Waiter(descriptor);
    this.events = new Thread(this::takeEvents, "rdma-cm-events");
    events.setDaemon(true);
    opened();
  }

  /**
   * Opens a channel to the kernel's connection manager and starts its thread.
   *
   * @throws RdmaUnavailableException if the libraries, the kernel's part or any device is missing
   */
  public static ConnectionManager open() {
    List<DeviceInfo> known = Devices.list();
    MemorySegment channel;
    try {
      channel = CmCalls.createEventChannel();
    } catch (VerbException e) {
      throw Devices.noDevice("librdmacm can't start (" + e.getMessage() + ")", known);
    }
    ConnectionManager manager = new ConnectionManager(channel);
    manager.events.start();
    return manager;
  }

  /**
   * Listens on an address.
   *
   * @param address port 0 takes a free one, the wildcard address all devices
   * @param backlog requests that may wait for {@link Listener#accept}, from 1; more are rejected
   * @throws VerbException EADDRINUSE, or ENODEV or EADDRNOTAVAIL for an address without an RDMA
   *     device
   */
  public Listener listen(InetSocketAddress address, int backlog) {
    CmIdentifier identifier = createIdentifier("listener on " + address);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment socketAddress = SocketAddresses.toNative(arena, address);
      return identifier.listen(socketAddress, backlog, address.toString());
    } catch (RuntimeException e) {
      identifier.closeBehind(e);
      throw e;
    }
  }

  /**
   * As {@link #resolve(InetSocketAddress, Optional, int, long)}, with the source that the route
   * gives.
   */
  public ConnectionAttempt resolve(InetSocketAddress peer, long timeoutMillis) {
    return resolve(peer, Optional.empty(), 0, timeoutMillis);
  }

  /**
   * Finds the device and the route to a peer.
   *
   * @param source local address to go out from
   * @param typeOfService for IP's header, 0 to 255; RoCE makes a traffic class of it
   * @param timeoutMillis for this step
   * @throws ConnectException if there is no device or route for the address
   * @throws RdmaTimeoutException at the deadline
   */
  public ConnectionAttempt resolve(
      InetSocketAddress peer,
      Optional<InetSocketAddress> source,
      int typeOfService,
      long timeoutMillis) {
    Deadline deadline = Deadline.after(timeoutMillis);
    CmIdentifier identifier = createIdentifier("connection to " + peer);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment target = SocketAddresses.toNative(arena, peer);
      MemorySegment from =
          source.map(s -> SocketAddresses.toNative(arena, s)).orElse(MemorySegment.NULL);
      identifier.resolve(from, target, typeOfService, deadline);
      return new ConnectionAttempt(identifier);
    } catch (RuntimeException e) {
      identifier.closeBehind(e);
      throw e;
    }
  }

  private CmIdentifier createIdentifier(String role) {
    enter();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment out = arena.allocate(rdma_verbs_h.C_POINTER);
      CmCalls.createId(channel, out);
      return register(out.get(rdma_verbs_h.C_POINTER, 0), role);
    } finally {
      leave();
    }
  }

  private CmIdentifier register(MemorySegment id, String role) {
    CmIdentifier identifier = new CmIdentifier(this, id, role);
    identifiers.put(id.address(), identifier);
    return identifier;
  }

  /**
   * Destroys a connection's queue pair. It is taken from the identifier first, so that no event
   * that arrives meanwhile makes librdmacm touch it; destroying can take seconds, so that is done
   * outside the lock.
   */
  void destroyQueuePair(MemorySegment id, MemorySegment qp) {
    eventLock.lock();
    try {
      rdma_cm_id.qp(id, MemorySegment.NULL);
    } finally {
      eventLock.unlock();
    }
    IbvCalls.destroyQp(qp);
  }

  void destroy(MemorySegment id) {
    identifiers.remove(id.address());
    CmCalls.destroyId(id);
  }

  private void tryToDestroy(MemorySegment id) {
    try {
      destroy(id);
    } catch (VerbException e) {
      // Its device has gone: this thread has to go on for all others.
    }
  }

  private void takeEvents() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment out = arena.allocate(rdma_verbs_h.C_POINTER);
      while (!stopping) {
        if (waiter.await(Long.MAX_VALUE)) {
          takeEvent(out);
        }
      }
    }
  }

  private void takeEvent(MemorySegment out) {
    CmEvent event;
    eventLock.lock();
    try {
      event = next(out);
    } finally {
      eventLock.unlock();
    }
    if (event != null) {
      dispatch(event);
    }
  }

  private @Nullable CmEvent next(MemorySegment out) {
    try {
      CmCalls.getCmEvent(channel, out);
    } catch (VerbException e) {
      // The event is gone if its identifier was closed just now. A connection request whose device
      // went away meanwhile is such a case: nothing is left to
      // tell. Should it last, this thread must not take a whole processor.
      LockSupport.parkNanos(PAUSE_NANOS);
      return null;
    }
    MemorySegment event = out.get(rdma_verbs_h.C_POINTER, 0);
    CmEvent copied = CmEvent.copy(event);
    // Acknowledged at once, since closing an identifier waits for all acknowledgements.
    CmCalls.ackCmEvent(event);
    return copied;
  }

  private void dispatch(CmEvent event) {
    if (event.type() == CmEvent.Type.CONNECT_REQUEST) {
      CmIdentifier listener = identifiers.get(event.listenId().address());
      if (listener == null || !listener.offer(event)) {
        // Destroying it rejects the peer.
        tryToDestroy(event.id());
      }
      return;
    }
    CmIdentifier identifier = identifiers.get(event.id().address());
    if (identifier != null) {
      identifier.deliver(event);
    }
  }

  /** Makes a handle for the new identifier of a connection request. */
  CmIdentifier adopt(CmEvent request) {
    try {
      enter();
    } catch (RdmaClosedException e) {
      destroy(request.id());
      throw e;
    }
    try {
      return register(request.id(), "connection request");
    } finally {
      leave();
    }
  }

  @Override
  void interruptWaiters() {
    waiter.wake();
  }

  @Override
  void free() {
    stopping = true;
    waiter.wake();
    boolean interrupted = false;
    while (events.isAlive()) {
      try {
        events.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    waiter.close();
    rdma_verbs_h.rdma_destroy_event_channel(channel);
  }

  @Override
  public String toString() {
    return "connection manager";
  }
}
