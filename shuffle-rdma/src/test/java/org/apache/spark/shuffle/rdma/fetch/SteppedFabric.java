package org.apache.spark.shuffle.rdma.fetch;

import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.apache.spark.shuffle.rdma.fabric.Connection;
import org.apache.spark.shuffle.rdma.fabric.Fabric;
import org.apache.spark.shuffle.rdma.fabric.FabricException;
import org.apache.spark.shuffle.rdma.fabric.Region;

/**
 * A real fabric within one process whose read lists wait until the test lets them go on, one read
 * at a time: so anything may happen between two reads of a list. For one thread.
 */
final class SteppedFabric implements Fabric {

  private final Fabric real;
  private final Connection wire;
  private final LongSupplier nanoClock;
  private final long maxNanos;
  private final List<Stepped> connections = new ArrayList<>();

  /** Failures of the lists that the real connection saw. */
  final List<FabricException> failures = new ArrayList<>();

  /**
   * @param wire a connection of the real fabric that reads on the caller's thread; its owner closes
   *     it
   * @param maxMillis what a list that took longer wants to read is gone, and the connection breaks
   */
  SteppedFabric(Fabric real, Connection wire, LongSupplier nanoClock, long maxMillis) {
    this.real = real;
    this.wire = wire;
    this.nanoClock = nanoClock;
    this.maxNanos = TimeUnit.MILLISECONDS.toNanos(maxMillis);
  }

  /** Whether any list waits. */
  boolean hasSteps() {
    return connections.stream().anyMatch(connection -> !connection.lists.isEmpty());
  }

  /** Does the next read of one of the connections. */
  void step(RandomGenerator random) {
    List<Stepped> ready =
        connections.stream().filter(connection -> !connection.lists.isEmpty()).toList();
    if (!ready.isEmpty()) {
      ready.get(random.nextInt(ready.size())).step();
    }
  }

  /** Breaks one of the connections. */
  void breakOne(RandomGenerator random) {
    if (!connections.isEmpty()) {
      connections.get(random.nextInt(connections.size())).end(FabricException.Kind.CONNECTION_LOST);
    }
  }

  @Override
  public String name() {
    return real.name();
  }

  @Override
  public Place place() {
    return real.place();
  }

  @Override
  public byte[] address() {
    return real.address();
  }

  @Override
  public boolean pins() {
    return real.pins();
  }

  @Override
  public Region register(MemorySegment memory, Access access) throws FabricException {
    return real.register(memory, access);
  }

  @Override
  public CompletableFuture<Connection> connect(byte[] address) {
    Stepped connection = new Stepped();
    connections.add(connection);
    return CompletableFuture.completedFuture(connection);
  }

  @Override
  public void close() {
    List.copyOf(connections).forEach(Stepped::close);
  }

  private record Waiting(
      List<Connection.Read> reads,
      int[] next,
      Connection.Completion completion,
      long postedNanos) {}

  private final class Stepped implements Connection {
    final Deque<Waiting> lists = new ArrayDeque<>();
    private boolean open = true;

    @Override
    public Way way() {
      return wire.way();
    }

    @Override
    public boolean isOpen() {
      return open;
    }

    @Override
    public void read(List<Read> reads, Completion completion) {
      if (!open) {
        completion.complete(new FabricException(FabricException.Kind.CLOSED, "closed before"));
        return;
      }
      lists.add(new Waiting(reads, new int[1], completion, nanoClock.getAsLong()));
    }

    void step() {
      Waiting list = lists.element();
      if (nanoClock.getAsLong() - list.postedNanos > maxNanos) {
        end(FabricException.Kind.CONNECTION_LOST);
        return;
      }
      Connection.Read read = list.reads.get(list.next[0]++);
      FabricException[] failed = new FabricException[1];
      wire.read(List.of(read), failure -> failed[0] = failure);
      if (failed[0] != null) {
        failures.add(failed[0]);
        lists.remove();
        list.completion.complete(failed[0]);
      } else if (list.next[0] == list.reads.size()) {
        lists.remove();
        list.completion.complete(null);
      }
    }

    void end(FabricException.Kind kind) {
      open = false;
      connections.remove(this);
      while (!lists.isEmpty()) {
        lists.remove().completion.complete(new FabricException(kind, "ended by the test"));
      }
    }

    @Override
    public void close() {
      end(FabricException.Kind.CLOSED);
    }
  }
}
