package org.sparkrdma.verbs;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** One end of a tested connection: device, domain, queue, a way to make regions and to wait. */
final class End implements AutoCloseable {
  static final int DEPTH = 64;

  final Device device;
  final ProtectionDomain domain;
  final CompletionChannel channel;
  final CompletionQueue completions;
  final CompletionBuffer buffer = new CompletionBuffer(16);
  private final Arena arena = Arena.ofShared();

  End(String deviceName) {
    device = Devices.open(deviceName);
    domain = device.allocateProtectionDomain();
    channel = device.createCompletionChannel();
    completions = device.createCompletionQueue(4 * DEPTH, channel, 0);
  }

  QueuePairOptions options() {
    return QueuePairOptions.of(completions, DEPTH, DEPTH).withBuffers(4, 2);
  }

  /** Access for the target of a READ. */
  Set<Access> sink() {
    return device.readSinkNeedsRemoteWrite()
        ? Set.of(Access.LOCAL_WRITE, Access.REMOTE_WRITE)
        : Set.of(Access.LOCAL_WRITE);
  }

  MemoryRegion region(long bytes, Set<Access> access) {
    return domain.register(arena.allocate(bytes, 4096), access);
  }

  /** A region whose byte at i is {@code seed + i}. */
  MemoryRegion filled(long bytes, int seed, Set<Access> access) {
    MemorySegment memory = arena.allocate(bytes, 4096);
    fill(memory, seed);
    return domain.register(memory, access);
  }

  static void fill(MemorySegment memory, int seed) {
    for (long i = 0; i < memory.byteSize(); i++) {
      memory.set(java.lang.foreign.ValueLayout.JAVA_BYTE, i, (byte) (seed + i));
    }
  }

  /** A completion's fields, copied. */
  record Completed(
      long id,
      CompletionStatus status,
      boolean receive,
      int bytes,
      boolean hasImmediate,
      int immediate) {}

  /** Polls until so many completions have come. */
  List<Completed> await(int count) {
    List<Completed> all = new ArrayList<>();
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(TestNetwork.TIMEOUT_MILLIS);
    while (all.size() < count) {
      all.addAll(poll());
      if (System.nanoTime() > end) {
        throw new AssertionError("only " + all + " of " + count + " completions came");
      }
      LockSupport.parkNanos(50_000);
    }
    return all;
  }

  List<Completed> poll() {
    List<Completed> all = new ArrayList<>();
    int found = completions.poll(buffer);
    for (int i = 0; i < found; i++) {
      all.add(
          new Completed(
              buffer.id(i),
              buffer.status(i),
              buffer.isReceive(i),
              buffer.byteLength(i),
              buffer.hasImmediate(i),
              buffer.immediate(i)));
    }
    return all;
  }

  @Override
  public void close() {
    buffer.close();
    device.close();
    arena.close();
  }
}
