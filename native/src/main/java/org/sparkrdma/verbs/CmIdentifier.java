package org.sparkrdma.verbs;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.util.Locale;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.sparkrdma.verbs.ffi.rdma_addr;
import org.sparkrdma.verbs.ffi.rdma_cm_id;
import org.sparkrdma.verbs.ffi.rdma_route;
import org.sparkrdma.verbs.ffi.rdma_verbs_h;

/**
 * librdmacm's identifier: a listener, or a connection in any stage. Its steps are asynchronous in
 * C; here each starts one and waits for the event that ends it, at most until a deadline.
 */
final class CmIdentifier extends RdmaResource {
  private static final int RESOLVE_TRY_MILLIS = 1_000;

  private final ConnectionManager manager;
  private final MemorySegment id;
  private final String role;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();

  /** The latest event of a step, until taken. */
  private @Nullable CmEvent latest;

  /** The event after which this connection is no more. */
  private @Nullable CmEvent ended;

  /** What a call threw that another thread makes. */
  private @Nullable RdmaException failure;

  private @Nullable Runnable endAction;
  private volatile @Nullable QueuePair queuePair;
  private @Nullable ArrayBlockingQueue<CmEvent> requests;

  CmIdentifier(ConnectionManager manager, MemorySegment id, String role) {
    super(manager);
    this.manager = manager;
    this.id = id;
    this.role = role;
    opened();
  }

  Listener listen(MemorySegment address, int backlog, String detail) {
    lock.lock();
    try {
      requests = new ArrayBlockingQueue<>(backlog);
    } finally {
      lock.unlock();
    }
    CmCalls.bindAddr(id, address, detail);
    CmCalls.listen(id, backlog, detail);
    return new Listener(this);
  }

  void resolve(MemorySegment from, MemorySegment target, int typeOfService, Deadline deadline) {
    if (typeOfService != 0) {
      setTypeOfService(typeOfService);
    }
    boolean resolved = false;
    while (!resolved) {
      resolved = resolveAddress(from, target, deadline);
    }
    CmCalls.resolveRoute(id, deadline.leftForCall(), role);
    await(CmEvent.Type.ROUTE_RESOLVED, deadline, "resolving the route of the " + role);
  }

  /**
   * One try, since the kernel misses a neighbour's answer that comes before it has written down its
   * question (as on a virtual link), and then waits out the time that it was given.
   *
   * @return false if it has to be asked again
   */
  private boolean resolveAddress(MemorySegment from, MemorySegment target, Deadline deadline) {
    String step = "resolving the address of the " + role;
    int millis = Math.min(deadline.leftForCall(), RESOLVE_TRY_MILLIS);
    try {
      CmCalls.resolveAddr(id, from, target, millis, role);
    } catch (VerbException e) {
      throw ConnectException.of(e, ConnectException.Reason.ADDRESS_UNRESOLVED);
    }
    try {
      await(CmEvent.Type.ADDR_RESOLVED, deadline, step);
      return true;
    } catch (ConnectException e) {
      if (e.status() == -Errno.ETIMEDOUT && deadline.leftMillis() > 0) {
        return false;
      }
      throw e;
    }
  }

  private void setTypeOfService(int value) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment option = arena.allocateFrom(ValueLayout.JAVA_BYTE, (byte) value);
      CmCalls.setOption(id, rdma_verbs_h.RDMA_OPTION_ID_TOS(), option);
    }
  }

  QueuePair createQueuePair(ProtectionDomain domain, QueuePairOptions options) {
    enter();
    domain.enter();
    try (Arena arena = Arena.ofConfined()) {
      if (!rdma_cm_id.verbs(id).equals(domain.device().context())) {
        throw new RdmaException(
            String.format(
                Locale.ROOT,
                "the %s goes through device %s, the protection domain is of %s",
                role,
                deviceName(),
                domain.device().name()));
      }
      MemorySegment init = QueuePairSetup.initAttributes(arena, options);
      String detail = QueuePairSetup.describe(domain.device(), options);
      CmCalls.createQp(id, domain.pd(), init, detail);
      QueuePair created =
          QueuePair.ofConnection(
              domain, options, this, rdma_cm_id.qp(id), qp -> manager.destroyQueuePair(id, qp));
      queuePair = created;
      return created;
    } finally {
      domain.leave();
      leave();
    }
  }

  QueuePair queuePair() {
    QueuePair made = queuePair;
    if (made == null) {
      throw new IllegalStateException("make the queue pair of the " + role + " first");
    }
    return made;
  }

  String deviceName() {
    return Device.nameOf(rdma_cm_id.verbs(id));
  }

  /** Whether it is bound to a device yet: a listener on the wildcard address never is. */
  boolean hasDevice() {
    return rdma_cm_id.verbs(id).address() != 0;
  }

  int port() {
    return hasDevice() ? Byte.toUnsignedInt(rdma_cm_id.port_num(id)) : 0;
  }

  InetSocketAddress localAddress() {
    return SocketAddresses.fromNative(rdma_addr.src_sin6(addresses()));
  }

  InetSocketAddress peerAddress() {
    return SocketAddresses.fromNative(rdma_addr.dst_sin6(addresses()));
  }

  private MemorySegment addresses() {
    return rdma_route.addr(rdma_cm_id.route(id));
  }

  MemorySegment id() {
    return id;
  }

  ConnectionManager manager() {
    return manager;
  }

  /** Queues a connection request; false if this is closed or its backlog is full. */
  boolean offer(CmEvent request) {
    lock.lock();
    try {
      ArrayBlockingQueue<CmEvent> queue = requests;
      boolean taken = queue != null && !isClosed() && queue.offer(request);
      changed.signalAll();
      return taken;
    } finally {
      lock.unlock();
    }
  }

  /** Takes in an event; called by the manager's thread. */
  void deliver(CmEvent event) {
    Runnable action = null;
    lock.lock();
    try {
      switch (event.type()) {
        case ADDR_CHANGE, TIMEWAIT_EXIT, MULTICAST_JOIN, MULTICAST_ERROR, UNKNOWN -> {}
        case DISCONNECTED, DEVICE_REMOVAL -> {
          if (ended == null) {
            ended = event;
            action = endAction;
          }
        }
        default -> latest = event;
      }
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    if (event.type() == CmEvent.Type.DISCONNECTED) {
      answerDisconnect();
    }
    if (action != null) {
      action.run();
    }
  }

  /** A peer that disconnects on InfiniBand or RoCE waits for the other side to do so, too. */
  private void answerDisconnect() {
    try {
      disconnect();
    } catch (RdmaException e) {
      // Closed, or disconnected from this side: nothing is left to answer.
    }
  }

  /** Breaks the queue pair and tells the peer. */
  void disconnect() {
    useQueuePair(() -> CmCalls.disconnect(id));
  }

  /** Runs a call of librdmacm that works on the queue pair: neither is closed meanwhile. */
  void useQueuePair(Runnable call) {
    enter();
    try {
      QueuePair pair = queuePair();
      pair.enter();
      try {
        call.run();
      } finally {
        pair.leave();
      }
    } finally {
      leave();
    }
  }

  /**
   * Starts to connect. On iWARP the kernel may wait for TCP inside the call, for minutes if the
   * peer's host is gone, so a thread of its own makes it.
   */
  void connect(ConnectionOptions options, int served, int issued, byte[] privateData) {
    Runnable call =
        () -> {
          try (Arena arena = Arena.ofConfined()) {
            MemorySegment parameters =
                ConnectionSetup.parameters(arena, options, served, issued, privateData);
            CmCalls.connect(id, parameters, role);
          } catch (VerbException e) {
            throw ConnectException.of(e, ConnectException.Reason.CONNECT_ERROR);
          }
        };
    if (queuePair().protectionDomain().device().readSinkNeedsRemoteWrite()) {
      Thread.ofPlatform().daemon().name("rdma-cm-connect").start(() -> tryToConnect(call));
    } else {
      useQueuePair(call);
    }
  }

  private void tryToConnect(Runnable call) {
    try {
      useQueuePair(call);
    } catch (RdmaException e) {
      lock.lock();
      try {
        failure = e;
        changed.signalAll();
      } finally {
        lock.unlock();
      }
    }
  }

  /**
   * Closes this after a step failed. After a deadline that is done by another thread: closing then
   * waits for what the kernel still has under way, on iWARP up to ten seconds.
   */
  void closeAfter(RdmaException failed) {
    if (failed instanceof ConnectException) {
      closeBehind(failed);
    } else {
      Thread.ofPlatform().daemon().name("rdma-cm-close").start(this::closeQuietly);
    }
  }

  /** Closes this; the failure that is the reason stays the one that is told. */
  void closeBehind(RuntimeException failed) {
    try {
      close();
    } catch (RdmaException e) {
      failed.addSuppressed(e);
    }
  }

  /** On a thread of its own: a device that has gone may refuse, and nobody is there to be told. */
  private void closeQuietly() {
    try {
      close();
    } catch (RdmaException e) {
      // It counts as closed all the same.
    }
  }

  /** Waits for the event that ends a step well; every other one that can end it throws. */
  CmEvent await(CmEvent.Type wanted, Deadline deadline, String step) {
    enter();
    lock.lock();
    try {
      while (true) {
        CmEvent event = latest;
        latest = null;
        if (event != null && event.type() == wanted) {
          return event;
        }
        if (event == null) {
          event = ended;
        }
        if (failure != null) {
          throw failure;
        }
        if (event != null) {
          throw new ConnectException(reason(event.type()), event, step);
        }
        awaitChange(deadline, step);
      }
    } finally {
      lock.unlock();
      leave();
    }
  }

  /** Waits until the connection is no more. */
  void awaitEnd(Deadline deadline, String step) {
    enter();
    lock.lock();
    try {
      while (ended == null) {
        awaitChange(deadline, step);
      }
    } finally {
      lock.unlock();
      leave();
    }
  }

  CmEvent awaitRequest(Deadline deadline) {
    enter();
    lock.lock();
    try {
      while (true) {
        CmEvent request = requests == null ? null : requests.poll();
        if (request != null) {
          return request;
        }
        awaitChange(deadline, "accept on " + role);
      }
    } finally {
      lock.unlock();
      leave();
    }
  }

  @SuppressWarnings("WaitNotInLoop") // Its callers loop.
  private void awaitChange(Deadline deadline, String step) {
    long left = deadline.leftMillis();
    if (isClosed()) {
      throw new RdmaClosedException(toString());
    }
    if (left == 0) {
      throw deadline.expired(step);
    }
    try {
      var _ = changed.await(left, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new RdmaException(step + " was interrupted", e);
    }
  }

  boolean isEnded() {
    lock.lock();
    try {
      return ended != null;
    } finally {
      lock.unlock();
    }
  }

  boolean isDeviceRemoved() {
    lock.lock();
    try {
      return ended != null && ended.type() == CmEvent.Type.DEVICE_REMOVAL;
    } finally {
      lock.unlock();
    }
  }

  /** Runs an action when the connection ends, or now if it has. */
  void onEnd(Runnable action) {
    boolean now;
    lock.lock();
    try {
      endAction = action;
      now = ended != null;
    } finally {
      lock.unlock();
    }
    if (now) {
      action.run();
    }
  }

  private static ConnectException.Reason reason(CmEvent.Type type) {
    return switch (type) {
      case ADDR_ERROR -> ConnectException.Reason.ADDRESS_UNRESOLVED;
      case ROUTE_ERROR -> ConnectException.Reason.ROUTE_UNRESOLVED;
      case REJECTED -> ConnectException.Reason.REJECTED;
      case UNREACHABLE -> ConnectException.Reason.UNREACHABLE;
      case DISCONNECTED -> ConnectException.Reason.DISCONNECTED;
      case DEVICE_REMOVAL -> ConnectException.Reason.DEVICE_REMOVED;
      default -> ConnectException.Reason.CONNECT_ERROR;
    };
  }

  @Override
  void interruptWaiters() {
    lock.lock();
    try {
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  @Override
  void free() {
    manager.destroy(id);
    ArrayBlockingQueue<CmEvent> queue = requests;
    if (queue != null) {
      queue.forEach(request -> manager.destroy(request.id()));
    }
  }

  @Override
  public String toString() {
    return role;
  }
}
