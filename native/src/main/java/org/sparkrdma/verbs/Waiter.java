package org.sparkrdma.verbs;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import org.sparkrdma.verbs.ffi.pollfd;
import org.sparkrdma.verbs.ffi.rdma_verbs_h;

/**
 * Waits for a file descriptor with a deadline, and can be woken by other threads. One thread waits
 * at a time; its platform thread is blocked in poll(2) meanwhile.
 */
final class Waiter implements AutoCloseable {
  private static final MethodHandle POLL =
      NativeCall.handle(rdma_verbs_h.poll$address(), rdma_verbs_h.poll$descriptor());
  private static final MethodHandle EVENTFD =
      NativeCall.handle(rdma_verbs_h.eventfd$address(), rdma_verbs_h.eventfd$descriptor());

  /** Longest single poll(2), so that a lost wake-up could only delay, never hang. */
  private static final long MAX_POLL_MILLIS = 10_000;

  private final Arena arena = Arena.ofShared();
  private final MemorySegment descriptors = pollfd.allocateArray(2, arena);
  private final MemorySegment one = arena.allocate(ValueLayout.JAVA_LONG);
  private final MemorySegment count = arena.allocate(ValueLayout.JAVA_LONG);
  private final int wakeDescriptor;
  private volatile boolean wakePending;

  Waiter(int descriptor) {
    one.set(ValueLayout.JAVA_LONG, 0, 1);
    wakeDescriptor = openEventDescriptor();
    watch(0, descriptor);
    watch(1, wakeDescriptor);
  }

  private static int openEventDescriptor() {
    int[] opened = {-1};
    int flags = rdma_verbs_h.EFD_CLOEXEC() | rdma_verbs_h.EFD_NONBLOCK();
    NativeCall.status(
        "eventfd",
        "",
        s -> {
          opened[0] = (int) EVENTFD.invokeExact(s, 0, flags);
          return Math.min(0, opened[0]);
        });
    return opened[0];
  }

  private void watch(int index, int descriptor) {
    MemorySegment entry = pollfd.asSlice(descriptors, index);
    pollfd.fd(entry, descriptor);
    pollfd.events(entry, (short) rdma_verbs_h.POLLIN());
  }

  /**
   * Waits for at most {@code timeoutMillis}; 0 only looks.
   *
   * @return whether the descriptor is readable; false at the deadline or when woken
   */
  boolean await(long timeoutMillis) {
    wakePending = false;
    long start = System.nanoTime();
    long left = timeoutMillis;
    while (true) {
      int ready = poll(Math.min(left, MAX_POLL_MILLIS));
      if (ready > 0) {
        boolean woken = isReady(1);
        if (woken) {
          rdma_verbs_h.read(wakeDescriptor, count, Long.BYTES);
        }
        if (woken || isReady(0)) {
          return isReady(0);
        }
      }
      left = timeoutMillis - (System.nanoTime() - start) / 1_000_000;
      if (left <= 0) {
        return false;
      }
    }
  }

  private int poll(long millis) {
    int[] ready = new int[1];
    int errno =
        NativeCall.errno(
            "poll",
            s -> {
              ready[0] = (int) POLL.invokeExact(s, descriptors, 2L, (int) millis);
              return Math.min(0, ready[0]);
            });
    if (errno != 0 && errno != Errno.EINTR) {
      throw new VerbException("poll", errno, "");
    }
    return errno == 0 ? ready[0] : 0;
  }

  private boolean isReady(int index) {
    return pollfd.revents(pollfd.asSlice(descriptors, index)) != 0;
  }

  /** Whether a wake-up came since the last {@link #await} began; that one may have taken it in. */
  boolean isWakePending() {
    return wakePending;
  }

  /** Makes the current {@link #await}, or else the next one, return. */
  void wake() {
    // Fails only when the counter is full, and then a wake-up is pending anyway.
    var _ = rdma_verbs_h.write(wakeDescriptor, one, Long.BYTES);
    // After the write: whoever sees this finds the wake-up, or another await has taken it in.
    wakePending = true;
  }

  @Override
  public void close() {
    rdma_verbs_h.close(wakeDescriptor);
    arena.close();
  }
}
