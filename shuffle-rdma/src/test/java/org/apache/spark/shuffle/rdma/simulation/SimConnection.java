package org.apache.spark.shuffle.rdma.simulation;

import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.apache.spark.shuffle.rdma.fabric.Connection;
import org.apache.spark.shuffle.rdma.fabric.FabricException;
import org.apache.spark.shuffle.rdma.fabric.FabricException.Kind;
import org.jspecify.annotations.Nullable;

/**
 * A connection whose lists go on read by read, one list after another, with what a seed lets go
 * wrong. It keeps the promises of {@link Connection}, and makes use of the freedom that they leave.
 */
final class SimConnection implements Connection {

  private static final int STEP_MILLIS = 4;

  /** How long after a close its lists may take to end. */
  private static final int CLOSING_MILLIS = 60;

  private static final int LOOK_AGAIN_MILLIS = 15;

  private static final List<Fault> FATES =
      List.of(
          Fault.LIST_SLOW,
          Fault.LIST_LATE,
          Fault.LIST_NEVER_COMPLETES,
          Fault.LIST_FLUSHED,
          Fault.LIST_REFUSED_BY_KEY,
          Fault.LIST_RETRIES_EXCEEDED,
          Fault.LIST_PEER_TERMINATES,
          Fault.LIST_DEVICE_LOST);

  private final World world;
  private final SimFabric reader;
  private final SimFabric owner;
  private final Way way;
  private final boolean synchronous;
  private final Deque<SimList> lists = new ArrayDeque<>();
  private boolean open = true;

  SimConnection(World world, SimFabric reader, SimFabric owner) {
    this.world = world;
    this.reader = reader;
    this.owner = owner;
    this.way = Way.values()[world.random.nextInt(Way.values().length)];
    this.synchronous = world.random.nextInt(3) == 0;
  }

  @Override
  public Way way() {
    return way;
  }

  @Override
  public boolean isOpen() {
    return open;
  }

  @Override
  public void read(List<Read> reads, Completion completion) {
    PeerLog log = reader.log(owner);
    if (world.strikes(Fault.READER_PAUSED)) {
      // The lease was looked at before, and now everybody else's time passes.
      owner.network().pauseReader();
    }
    if (world.strikes(Fault.LIST_THROWS)) {
      log.events.add(new PeerLog.Event.PostingThrew());
      throw new IllegalStateException("simulated defect in posting");
    }
    Fault fate = FATES.stream().filter(world::strikes).findFirst().orElse(null);
    SimList list =
        new SimList(
            List.copyOf(reads),
            completion,
            world.nowMillis(),
            fate,
            world.random.nextInt(reads.size()));
    log.events.add(new PeerLog.Event.Posted(list));
    if (!open) {
      reader.end(list, Kind.CLOSED);
    } else if (world.strikes(Fault.LIST_QUEUE_FULL)) {
      reader.end(list, Kind.QUEUE_FULL);
    } else {
      reader.outstanding.add(list);
      lists.add(list);
      if (lists.size() == 1) {
        go();
      }
    }
  }

  private void go() {
    SimList head = lists.element();
    long millis = world.delay(STEP_MILLIS);
    if (head.fate == Fault.LIST_SLOW) {
      millis = world.random.nextInt(Simulation.READ_TIMEOUT_MILLIS);
    } else if (head.fate == Fault.LIST_LATE) {
      millis = Simulation.READ_TIMEOUT_MILLIS + world.delay(Simulation.READ_TIMEOUT_MILLIS);
    } else if (head.fate == null && synchronous && !owner.isCutOff()) {
      while (open && !head.ended) {
        step(head);
      }
      return;
    }
    world.later(millis, () -> step(head));
  }

  private void step(SimList list) {
    if (!open || list.ended || list.fate == Fault.LIST_NEVER_COMPLETES) {
      return;
    }
    if (owner.isCutOff()) {
      if (owner.isDead() && world.random.nextInt(3) == 0) {
        Kind[] kinds = {Kind.PEER_TERMINATED, Kind.CONNECTION_LOST, Kind.RETRY_EXCEEDED};
        breakDown(list, kinds[world.random.nextInt(kinds.length)]);
      } else {
        world.later(LOOK_AGAIN_MILLIS, () -> step(list));
      }
      return;
    }
    Kind failure = list.next == list.fateAt ? failure(list.fate) : null;
    if (failure == null && !list.isDone()) {
      failure = perform(list, list.reads.get(list.next));
      list.next++;
    }
    if (failure != null) {
      breakDown(list, failure);
    } else if (list.isDone()) {
      lists.remove(list);
      if (!lists.isEmpty()) {
        go();
      }
      reader.end(list, null);
      reader.log(owner).progressMillis = world.nowMillis();
    } else if (!synchronous) {
      world.later(world.delay(STEP_MILLIS), () -> step(list));
    } else if (list.fate != null) {
      step(list);
    }
  }

  private static @Nullable Kind failure(@Nullable Fault fate) {
    return switch (fate) {
      case LIST_FLUSHED -> Kind.CONNECTION_LOST;
      case LIST_REFUSED_BY_KEY -> Kind.ACCESS_ERROR;
      case LIST_RETRIES_EXCEEDED -> Kind.RETRY_EXCEEDED;
      case LIST_PEER_TERMINATES -> Kind.PEER_TERMINATED;
      case LIST_DEVICE_LOST -> Kind.DEVICE_LOST;
      case null, default -> null;
    };
  }

  private @Nullable Kind perform(SimList list, Read read) {
    SimRegion source = owner.region(read.remoteKey());
    long offset = source == null ? -1 : read.remoteAddress() - source.address();
    if (source == null || offset < 0 || offset > source.length() - read.lengthBytes()) {
      // Who keeps to the lease meets no region that's gone, unless lists before it took long.
      boolean waited = world.nowMillis() - list.postedMillis > Simulation.LIST_MILLIS;
      world.check(
          waited || owner.network().readerWasPaused(),
          "a read met a region that was released: " + read);
      return Kind.ACCESS_ERROR;
    }
    MemorySegment to = read.local().memory();
    MemorySegment.copy(source.memory(), offset, to, read.localOffset(), read.lengthBytes());
    return null;
  }

  /** The list fails, and those behind it are flushed. */
  private void breakDown(SimList list, Kind failure) {
    open = false;
    reader.forget(this);
    lists.remove(list);
    List<SimList> flushed = List.copyOf(lists);
    lists.clear();
    for (SimList behind : flushed) {
      world.later(world.delay(CLOSING_MILLIS), () -> reader.end(behind, Kind.CONNECTION_LOST));
    }
    reader.end(list, failure);
  }

  @Override
  public void close() {
    if (!open) {
      return;
    }
    open = false;
    reader.forget(this);
    reader.log(owner).events.add(new PeerLog.Event.Closed());
    List<SimList> ended = List.copyOf(lists);
    lists.clear();
    for (SimList list : ended) {
      boolean hadCompleted =
          !owner.isCutOff() && world.strikes(Fault.LIST_COMPLETES_AFTER_CLOSE) && finish(list);
      world.later(
          world.delay(CLOSING_MILLIS), () -> reader.end(list, hadCompleted ? null : Kind.CLOSED));
    }
  }

  private boolean finish(SimList list) {
    for (; !list.isDone(); list.next++) {
      if (perform(list, list.reads.get(list.next)) != null) {
        return false;
      }
    }
    return true;
  }

  /** As a fabric's own failure. */
  static FabricException failed(Kind kind) {
    return new FabricException(kind, "simulated");
  }
}
