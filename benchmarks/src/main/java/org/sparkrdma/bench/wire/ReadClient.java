package org.sparkrdma.bench.wire;

import java.lang.foreign.Arena;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.sparkrdma.bench.Spread;
import org.sparkrdma.verbs.Access;
import org.sparkrdma.verbs.CompletionChannel;
import org.sparkrdma.verbs.CompletionQueue;
import org.sparkrdma.verbs.Connection;
import org.sparkrdma.verbs.ConnectionAttempt;
import org.sparkrdma.verbs.ConnectionManager;
import org.sparkrdma.verbs.ConnectionOptions;
import org.sparkrdma.verbs.Device;
import org.sparkrdma.verbs.Devices;
import org.sparkrdma.verbs.MemoryRegion;
import org.sparkrdma.verbs.ProtectionDomain;
import org.sparkrdma.verbs.QueuePair;
import org.sparkrdma.verbs.QueuePairOptions;

/** Our side of the comparison: connects anew for each measurement, as perftest does. One thread. */
final class ReadClient implements AutoCloseable {

  private static final long TIMEOUT_MILLIS = 30_000;
  private static final double BYTES_PER_MEBIBYTE = 1 << 20;
  private static final double NANOS_PER_SECOND = 1e9;
  private static final double NANOS_PER_MICRO = 1e3;
  private static final double READS_PER_THOUSAND = 1e3;

  private final ConnectionManager manager = ConnectionManager.open();
  private final InetSocketAddress server;
  private final ConnectionOptions options;

  /**
   * @param outstanding reads that may be on the wire at a time
   */
  ReadClient(InetSocketAddress server, int outstanding) {
    this.server = server;
    this.options = ConnectionOptions.defaults().withReads(outstanding, outstanding);
  }

  /**
   * What leads to the server.
   *
   * @param device its name
   * @param iwarp whether it's iWARP, or else InfiniBand or RoCE
   */
  record Link(String device, boolean iwarp) {}

  Link link() {
    try (ConnectionAttempt attempt = manager.resolve(server, TIMEOUT_MILLIS);
        Device device = Devices.open(attempt.deviceName())) {
      return new Link(attempt.deviceName(), device.readSinkNeedsRemoteWrite());
    }
  }

  /**
   * Measures once, in the unit of the case's kind.
   *
   * @param reads of each queue pair
   */
  double measure(WireCase wireCase, int reads) {
    try (Arena arena = Arena.ofShared();
        ConnectionAttempt first = manager.resolve(server, TIMEOUT_MILLIS);
        Device device = Devices.open(first.deviceName())) {
      ProtectionDomain domain = device.allocateProtectionDomain();
      CompletionChannel channel = device.createCompletionChannel();
      int completions = wireCase.queuePairs() * ReadLoop.SEND_DEPTH + 1;
      CompletionQueue queue = device.createCompletionQueue(completions, channel, 0);
      MemoryRegion into =
          domain.register(arena.allocate(ReadTarget.BYTES, 4096), sinkAccess(device));
      try (Paths paths = new Paths()) {
        paths.add(first, domain, queue);
        while (paths.all.size() < wireCase.queuePairs()) {
          paths.add(manager.resolve(server, TIMEOUT_MILLIS), domain, queue);
        }
        try (ReadLoop loop = new ReadLoop(paths.all, queue, channel, into)) {
          double value = measure(loop, wireCase, reads);
          ReadTarget.check(into.memory(), wireCase.bytes());
          return value;
        }
      }
    }
  }

  /** Queue pairs that are connected to the server, each with its own connection. */
  private final class Paths implements AutoCloseable {
    private final List<ReadLoop.Path> all = new ArrayList<>();
    private final Deque<Runnable> open = new ArrayDeque<>();

    private void add(ConnectionAttempt attempt, ProtectionDomain domain, CompletionQueue queue) {
      open.push(attempt::close);
      QueuePair pair =
          attempt.createQueuePair(domain, QueuePairOptions.of(queue, ReadLoop.SEND_DEPTH, 1));
      Connection connection = attempt.connect(options, new byte[0], TIMEOUT_MILLIS);
      open.push(connection::close);
      all.add(new ReadLoop.Path(pair, ReadTarget.decode(connection.privateData())));
    }

    @Override
    public void close() {
      while (!open.isEmpty()) {
        open.pop().run();
      }
    }
  }

  private static double measure(ReadLoop loop, WireCase wireCase, int reads) {
    if (wireCase.kind() == WireCase.Kind.LATENCY) {
      return Spread.of(loop.readEach(wireCase.bytes(), reads)).median() / NANOS_PER_MICRO;
    }
    double seconds = loop.readMany(wireCase.bytes(), reads) / NANOS_PER_SECOND;
    double readsPerSecond = (double) reads * wireCase.queuePairs() / seconds;
    return wireCase.kind() == WireCase.Kind.BANDWIDTH
        ? readsPerSecond * wireCase.bytes() / BYTES_PER_MEBIBYTE
        : readsPerSecond / READS_PER_THOUSAND;
  }

  private static Set<Access> sinkAccess(Device device) {
    Set<Access> access = EnumSet.of(Access.LOCAL_WRITE);
    if (device.readSinkNeedsRemoteWrite()) {
      access.add(Access.REMOTE_WRITE);
    }
    return access;
  }

  @Override
  public void close() {
    manager.close();
  }
}
