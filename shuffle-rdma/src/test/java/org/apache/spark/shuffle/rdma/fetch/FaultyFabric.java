package org.apache.spark.shuffle.rdma.fetch;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.spark.shuffle.rdma.fabric.Connection;
import org.apache.spark.shuffle.rdma.fabric.Fabric;
import org.apache.spark.shuffle.rdma.fabric.FabricException;
import org.apache.spark.shuffle.rdma.fabric.Region;

/** A real fabric with one kind of fault in its connections. Everything else is the real one's. */
final class FaultyFabric implements Fabric {

  /** What goes wrong. */
  enum Fault {
    /** No list completes until its connection is closed. */
    STALL,
    /**
     * The first list of all is flushed and its connection breaks; the others are the real one's.
     */
    FLUSH_FIRST,
    /** Every list is flushed and breaks its connection. */
    FLUSH_ALL
  }

  private final Fabric real;
  private final Fault fault;
  private boolean flushed;

  FaultyFabric(Fabric real, Fault fault) {
    this.real = real;
    this.fault = fault;
  }

  private synchronized boolean flushes() {
    boolean flushes = fault == Fault.FLUSH_ALL || (fault == Fault.FLUSH_FIRST && !flushed);
    flushed = true;
    return flushes;
  }

  @Override
  public boolean pins() {
    return real.pins();
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
  public Region register(MemorySegment memory, Access access) throws FabricException {
    return real.register(memory, access);
  }

  @Override
  public CompletableFuture<Connection> connect(byte[] address) {
    return real.connect(address).thenApply(FaultyConnection::new);
  }

  @Override
  public void close() {
    real.close();
  }

  private final class FaultyConnection implements Connection {
    private final Connection connection;
    private final List<Completion> stalled = new ArrayList<>();

    FaultyConnection(Connection connection) {
      this.connection = connection;
    }

    @Override
    public Way way() {
      return connection.way();
    }

    @Override
    public boolean isOpen() {
      return connection.isOpen();
    }

    @Override
    public void read(List<Read> reads, Completion completion) {
      if (fault == Fault.STALL && isOpen()) {
        synchronized (stalled) {
          stalled.add(completion);
        }
      } else if (flushes()) {
        connection.close();
        completion.complete(
            new FabricException(FabricException.Kind.CONNECTION_LOST, "flushed by the test"));
      } else {
        connection.read(reads, completion);
      }
    }

    @Override
    public void close() {
      connection.close();
      List<Completion> ended;
      synchronized (stalled) {
        ended = List.copyOf(stalled);
        stalled.clear();
      }
      ended.forEach(
          completion ->
              completion.complete(
                  new FabricException(FabricException.Kind.CLOSED, "closed by this side")));
    }
  }
}
