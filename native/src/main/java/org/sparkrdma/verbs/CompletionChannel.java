package org.sparkrdma.verbs;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.sparkrdma.verbs.ffi.ibv_comp_channel;
import org.sparkrdma.verbs.ffi.rdma_verbs_h;

/**
 * Where completion queues announce that something completed, so that a thread can sleep meanwhile.
 *
 * <p>The order that loses no completion: {@link CompletionQueue#requestNotification}, poll until
 * empty, then {@link #await}. One thread waits at a time (a second one waits for the first); any
 * thread may call {@link #wake}.
 */
public final class CompletionChannel extends RdmaResource {
  private final MemorySegment channel;
  private final Waiter waiter;
  private final Arena arena = Arena.ofShared();
  private final MemorySegment queueOut = arena.allocate(rdma_verbs_h.C_POINTER);
  private final MemorySegment contextOut = arena.allocate(rdma_verbs_h.C_POINTER);
  private final ReentrantLock lock = new ReentrantLock();
  private final List<CompletionQueue> queues = new CopyOnWriteArrayList<>();

  CompletionChannel(Device device) {
    super(device);
    device.enter();
    try {
      channel = IbvCalls.createCompChannel(device.context());
      Descriptors.setNonBlocking(ibv_comp_channel.fd(channel));
      waiter = new Waiter(ibv_comp_channel.fd(channel));
      opened();
    } finally {
      device.leave();
    }
  }

  MemorySegment channel() {
    return channel;
  }

  void attach(CompletionQueue queue) {
    queues.add(queue);
  }

  void detach(CompletionQueue queue) {
    queues.remove(queue);
  }

  /**
   * Waits for a queue that asked for a notification.
   *
   * @param timeoutMillis at most this long, 0 only looks
   * @return the queue, whose next notification has to be asked for again; null at the deadline or
   *     when woken
   */
  public @Nullable CompletionQueue await(long timeoutMillis) {
    enter();
    lock.lock();
    try {
      // Often there is an event already, or was by the time that a post returned: then this saves
      // the poll(2). Otherwise it costs nothing but time spent waiting. A wake-up goes first, so
      // that a stream of events can't hide it.
      boolean taken = !waiter.isWakePending() && takeEvent();
      if (!taken && !(waiter.await(isClosed() ? 0 : timeoutMillis) && takeEvent())) {
        return null;
      }
      MemorySegment queue = queueOut.get(rdma_verbs_h.C_POINTER, 0);
      // At once, since a queue can't be destroyed before all its events are acknowledged.
      rdma_verbs_h.ibv_ack_cq_events(queue, 1);
      return find(queue.address());
    } finally {
      lock.unlock();
      leave();
    }
  }

  private boolean takeEvent() {
    return IbvCalls.getCqEvent(channel, queueOut, contextOut);
  }

  private @Nullable CompletionQueue find(long address) {
    for (CompletionQueue queue : queues) {
      if (queue.cq().address() == address) {
        return queue;
      }
    }
    return null;
  }

  /** Makes the current {@link #await}, or else the next one, return null. */
  public void wake() {
    enter();
    try {
      waiter.wake();
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
    waiter.close();
    arena.close();
    IbvCalls.destroyCompChannel(channel);
  }

  @Override
  public String toString() {
    return "completion channel";
  }
}
