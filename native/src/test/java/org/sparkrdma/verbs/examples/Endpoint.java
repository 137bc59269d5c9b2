package org.sparkrdma.verbs.examples;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.sparkrdma.verbs.Access;
import org.sparkrdma.verbs.CompletionBuffer;
import org.sparkrdma.verbs.CompletionChannel;
import org.sparkrdma.verbs.CompletionQueue;
import org.sparkrdma.verbs.Device;
import org.sparkrdma.verbs.Devices;
import org.sparkrdma.verbs.MemoryRegion;
import org.sparkrdma.verbs.ProtectionDomain;
import org.sparkrdma.verbs.QueuePairOptions;
import org.sparkrdma.verbs.RdmaException;

/**
 * What either side of an example has on its device, and how it waits for a completion. One thread.
 */
final class Endpoint implements AutoCloseable {
  static final long TIMEOUT_MILLIS = 30_000;
  private static final int DEPTH = 16;

  private final Arena arena = Arena.ofShared();
  private final Device device;
  private final ProtectionDomain domain;
  private final CompletionChannel channel;
  private final CompletionQueue queue;
  private final CompletionBuffer buffer = new CompletionBuffer(1);

  Endpoint(String deviceName) {
    device = Devices.open(deviceName);
    domain = device.allocateProtectionDomain();
    channel = device.createCompletionChannel();
    queue = device.createCompletionQueue(2 * DEPTH, channel, 0);
  }

  ProtectionDomain domain() {
    return domain;
  }

  QueuePairOptions options() {
    return QueuePairOptions.of(queue, DEPTH, DEPTH);
  }

  MemoryRegion register(long bytes, Set<Access> access) {
    MemorySegment memory = arena.allocate(bytes, 4096);
    return domain.register(memory, access);
  }

  /** Access for memory that an RDMA READ of ours fills. */
  Set<Access> readSink() {
    return device.readSinkNeedsRemoteWrite()
        ? Set.of(Access.LOCAL_WRITE, Access.REMOTE_WRITE)
        : Set.of(Access.LOCAL_WRITE);
  }

  /** Sleeps until a request completes, and returns its id. Throws if it failed. */
  long awaitCompletion() {
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(TIMEOUT_MILLIS);
    while (queue.poll(buffer) == 0) {
      // Ask, look again, then sleep: in this order no completion slips through.
      queue.requestNotification();
      if (queue.poll(buffer) > 0) {
        break;
      }
      long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
      if (left <= 0) {
        throw new RdmaException("no completion within " + TIMEOUT_MILLIS + " ms");
      }
      var _ = channel.await(left);
    }
    buffer.requireSuccess(0);
    return buffer.id(0);
  }

  /**
   * Waits for the completion with this id; requests complete in the order in which they were
   * posted.
   */
  void await(long id) {
    long came = awaitCompletion();
    if (came != id) {
      throw new RdmaException("request " + came + " completed, not " + id);
    }
  }

  @Override
  public void close() {
    device.close();
    buffer.close();
    arena.close();
  }
}
