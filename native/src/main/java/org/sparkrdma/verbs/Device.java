package org.sparkrdma.verbs;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import org.sparkrdma.verbs.RdmaUnavailableException.Reason;
import org.sparkrdma.verbs.ffi.ibv_async_event;
import org.sparkrdma.verbs.ffi.ibv_context;
import org.sparkrdma.verbs.ffi.ibv_device_attr;
import org.sparkrdma.verbs.ffi.ibv_gid_entry;
import org.sparkrdma.verbs.ffi.ibv_port_attr;
import org.sparkrdma.verbs.ffi.ibv_qp;
import org.sparkrdma.verbs.ffi.rdma_verbs_h;

/**
 * An open RDMA device: where everything else starts. Closing it closes all that was made from it.
 * May be used by any thread.
 */
public final class Device extends RdmaResource {
  private final MemorySegment contexts;
  private final MemorySegment context;
  private final DeviceInfo info;
  private final DeviceAttributes attributes;
  private final Waiter asyncWaiter;
  private final ReentrantLock asyncLock = new ReentrantLock();

  /** Takes over {@code contexts}, which keeps {@code context} open until it is freed. */
  Device(MemorySegment contexts, MemorySegment context) {
    MemorySegment device = ibv_context.device(context);
    LayoutCheck.checkContext(context, device);
    this.contexts = contexts;
    this.context = context;
    this.info = Devices.describe(device);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment queried = ibv_device_attr.allocate(arena);
      IbvCalls.queryDevice(context, queried);
      this.attributes = DeviceAttributes.of(queried);
    }
    this.asyncWaiter = new Waiter(ibv_context.async_fd(context));
    opened();
  }

  static String nameOf(MemorySegment context) {
    return Devices.name(ibv_context.device(context));
  }

  MemorySegment context() {
    return context;
  }

  public DeviceInfo info() {
    return info;
  }

  /** The kernel's name of the device. */
  public String name() {
    return info.name();
  }

  /** Limits, as they were when the device was opened. */
  public DeviceAttributes attributes() {
    return attributes;
  }

  /** Number of interrupts that completion queues can be spread over, at least 1. */
  public int completionVectors() {
    return ibv_context.num_comp_vectors(context);
  }

  /**
   * Whether the target buffer of an RDMA READ must allow remote writes: iWARP answers a READ with a
   * message that writes there.
   */
  public boolean readSinkNeedsRemoteWrite() {
    return info.transport() == DeviceInfo.Transport.IWARP;
  }

  /**
   * Asks for a port's state.
   *
   * @param port number from 1 to {@link DeviceAttributes#ports()}
   */
  public PortAttributes port(int port) {
    enter();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment queried = ibv_port_attr.allocate(arena);
      IbvCalls.queryPort(context, port, queried);
      return PortAttributes.of(port, queried);
    } finally {
      leave();
    }
  }

  /**
   * The first port that is active.
   *
   * @throws RdmaUnavailableException PORT_DOWN if none is
   */
  public PortAttributes activePort() {
    List<PortAttributes> ports = new ArrayList<>();
    for (int port = 1; port <= attributes.ports(); port++) {
      PortAttributes asked = port(port);
      if (asked.state() == PortAttributes.State.ACTIVE) {
        return asked;
      }
      ports.add(asked);
    }
    throw new RdmaUnavailableException(
        Reason.PORT_DOWN,
        "no port of " + name() + " is active: " + ports + "; check cable, switch and `ip link`");
  }

  /** The GIDs of a port; empty places of the table are left out. */
  public List<Gid> gids(int port) {
    int places = port(port).gids();
    enter();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment entry = ibv_gid_entry.allocate(arena);
      List<Gid> found = new ArrayList<>();
      for (int index = 0; index < places; index++) {
        if (IbvCalls.queryGidEx(context, port, index, entry) == 0) {
          found.add(Gid.of(entry));
        }
      }
      return List.copyOf(found);
    } finally {
      leave();
    }
  }

  /**
   * The GID of an IP address, RoCE v2 before others.
   *
   * @throws RdmaUnavailableException NO_GID if no active or inactive port has it
   */
  public Gid gidOf(InetAddress address) {
    List<Gid> all = new ArrayList<>();
    for (int port = 1; port <= attributes.ports(); port++) {
      all.addAll(gids(port));
    }
    Optional<Gid> found =
        all.stream()
            .filter(gid -> gid.address().equals(address))
            .max(java.util.Comparator.comparing(Gid::type));
    return found.orElseThrow(
        () ->
            new RdmaUnavailableException(
                Reason.NO_GID,
                String.format(
                    Locale.ROOT,
                    "no GID of %s is %s, it has %s; give the address to the device's own network interface",
                    name(),
                    address.getHostAddress(),
                    all.stream().map(g -> g.address().getHostAddress()).toList())));
  }

  /**
   * Waits for the next asynchronous event; one thread at a time. Handles on one device share its
   * events: each event goes to one of them.
   *
   * @param timeoutMillis at most this long, 0 only looks
   * @return empty at the deadline or when the device is closed meanwhile
   */
  public Optional<AsyncEvent> awaitEvent(long timeoutMillis) {
    enter();
    asyncLock.lock();
    try (Arena arena = Arena.ofConfined()) {
      if (!asyncWaiter.await(isClosed() ? 0 : timeoutMillis)) {
        return Optional.empty();
      }
      MemorySegment event = ibv_async_event.allocate(arena);
      IbvCalls.getAsyncEvent(context, event);
      AsyncEvent copied = copy(event);
      rdma_verbs_h.ibv_ack_async_event(event);
      return Optional.of(copied);
    } finally {
      asyncLock.unlock();
      leave();
    }
  }

  private static AsyncEvent copy(MemorySegment event) {
    AsyncEvent.Type type = AsyncEvent.Type.of(ibv_async_event.event_type(event));
    MemorySegment element = ibv_async_event.element(event);
    int port = type.isOfPort() ? ibv_async_event.element.port_num(element) : 0;
    int queuePair = type.isOfQueuePair() ? ibv_qp.qp_num(ibv_async_event.element.qp(element)) : 0;
    return new AsyncEvent(type, port, queuePair);
  }

  /** Makes a domain whose regions and queue pairs are isolated from all others. */
  public ProtectionDomain allocateProtectionDomain() {
    return new ProtectionDomain(this);
  }

  /** Makes a channel on which completion queues announce their completions. */
  public CompletionChannel createCompletionChannel() {
    return new CompletionChannel(this);
  }

  /**
   * Makes a completion queue that is only polled.
   *
   * @param entries at least this many completions fit; more at a time break the queue
   */
  public CompletionQueue createCompletionQueue(int entries) {
    return new CompletionQueue(this, null, entries, 0);
  }

  /**
   * Makes a completion queue that announces completions on a channel when asked to.
   *
   * @param entries at least this many completions fit; more at a time break the queue
   * @param vector interrupt to use, less than {@link #completionVectors()}
   */
  public CompletionQueue createCompletionQueue(int entries, CompletionChannel channel, int vector) {
    return new CompletionQueue(this, channel, entries, vector);
  }

  @Override
  void interruptWaiters() {
    asyncWaiter.wake();
  }

  @Override
  void free() {
    asyncWaiter.close();
    rdma_verbs_h.rdma_free_devices(contexts);
  }

  @Override
  public String toString() {
    return "device " + name();
  }
}
