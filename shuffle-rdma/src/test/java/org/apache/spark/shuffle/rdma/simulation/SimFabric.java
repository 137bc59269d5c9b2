package org.apache.spark.shuffle.rdma.simulation;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.apache.spark.shuffle.rdma.fabric.Connection;
import org.apache.spark.shuffle.rdma.fabric.Fabric;
import org.apache.spark.shuffle.rdma.fabric.FabricException;
import org.apache.spark.shuffle.rdma.fabric.FabricException.Kind;
import org.jspecify.annotations.Nullable;

/** One executor's end of the simulated network. */
final class SimFabric implements Fabric {

  private static final int CONNECT_MILLIS = 8;

  /** Why a connect fails, by the fault. */
  private static final Map<Fault, Kind> REFUSALS =
      new LinkedHashMap<>(
          Map.of(
              Fault.CONNECT_REFUSED, Kind.CONNECT_REFUSED,
              Fault.CONNECT_UNAUTHENTICATED, Kind.AUTHENTICATION_FAILED,
              Fault.CONNECT_UNANSWERED, Kind.PEER_UNREACHABLE,
              Fault.CONNECT_ADDRESS_UNREADABLE, Kind.BAD_ADDRESS,
              Fault.CONNECT_DEVICE_LOST, Kind.DEVICE_LOST));

  private static final List<Fault> CONNECT_FAULTS = REFUSALS.keySet().stream().sorted().toList();

  private final SimNetwork network;
  private final World world;
  final String executorId;
  private final long id;
  private final Map<Long, SimRegion> regions = new HashMap<>();
  private final Set<SimConnection> connections = new LinkedHashSet<>();

  /** Lists that were posted here and haven't ended. */
  final Set<SimList> outstanding = new LinkedHashSet<>();

  private boolean dead;
  private long cutOffUntilMillis;
  private boolean closed;
  private @Nullable SimList completing;

  SimFabric(SimNetwork network, String executorId, long id) {
    this.network = network;
    this.world = network.world();
    this.executorId = executorId;
    this.id = id;
  }

  SimNetwork network() {
    return network;
  }

  PeerLog log(SimFabric owner) {
    return network.log(owner.executorId);
  }

  @Override
  public String name() {
    return "simulated";
  }

  @Override
  public Place place() {
    return new Place("simulated", "nowhere");
  }

  @Override
  public byte[] address() {
    return ByteBuffer.allocate(Long.BYTES).putLong(id).array();
  }

  @Override
  public boolean pins() {
    return true;
  }

  @Override
  public SimRegion register(MemorySegment memory, Access access) throws FabricException {
    if (world.strikes(Fault.REGISTRATION_REFUSED)) {
      throw SimConnection.failed(Kind.REGISTRATION_REFUSED);
    }
    // As verbs' keys, they come again: another region's may be one that was another's before.
    long key = 1;
    while (regions.containsKey(key)) {
      key++;
    }
    SimRegion region = new SimRegion(this, memory, key);
    regions.put(key, region);
    return region;
  }

  void deregister(SimRegion region) {
    regions.remove(region.key(), region);
  }

  @Nullable SimRegion region(long key) {
    return regions.get(key);
  }

  int regionCount() {
    return regions.size();
  }

  int openConnections() {
    return connections.size();
  }

  @Override
  public CompletableFuture<Connection> connect(byte[] address) {
    SimFabric owner = network.at(ByteBuffer.wrap(address).getLong());
    if (world.strikes(Fault.CONNECT_THROWS)) {
      log(owner).events.add(new PeerLog.Event.ConnectingThrew());
      throw new IllegalStateException("simulated defect in connecting");
    }
    Fault fault = CONNECT_FAULTS.stream().filter(world::strikes).findFirst().orElse(null);
    boolean slow = fault == Fault.CONNECT_UNANSWERED || world.strikes(Fault.CONNECT_SLOW);
    long millis = slow ? Simulation.CONNECT_TIMEOUT_MILLIS : world.delay(CONNECT_MILLIS);
    CompletableFuture<Connection> future = new CompletableFuture<>();
    Runnable answer = () -> answer(owner, fault == null ? null : REFUSALS.get(fault), future);
    if (millis == 0) {
      answer.run();
    } else {
      world.later(millis, answer);
    }
    return future;
  }

  private void answer(SimFabric owner, @Nullable Kind refusal, CompletableFuture<Connection> to) {
    Kind failure = refusal;
    if (closed) {
      failure = Kind.CLOSED;
    } else if (owner.isCutOff()) {
      failure = Kind.PEER_UNREACHABLE;
    }
    if (failure == null) {
      SimConnection made = new SimConnection(world, this, owner);
      connections.add(made);
      to.complete(made);
    } else {
      log(owner).events.add(new PeerLog.Event.NotConnected(failure));
      to.completeExceptionally(SimConnection.failed(failure));
    }
  }

  void forget(SimConnection connection) {
    connections.remove(connection);
  }

  /** Completes a list, which {@link #completing()} is meanwhile. */
  void end(SimList list, @Nullable Kind failure) {
    outstanding.remove(list);
    SimList outer = completing;
    completing = list;
    list.end(failure);
    completing = outer;
  }

  /** The list whose completion runs, if any. */
  @Nullable SimList completing() {
    return completing;
  }

  /** It never answers again, and has no memory any more. */
  void die() {
    dead = true;
    regions.clear();
  }

  boolean isDead() {
    return dead;
  }

  void cutOff(long millis) {
    cutOffUntilMillis = world.nowMillis() + millis;
  }

  boolean isCutOff() {
    return dead || world.nowMillis() < cutOffUntilMillis;
  }

  @Override
  public void close() {
    closed = true;
    List.copyOf(connections).forEach(SimConnection::close);
    List.copyOf(outstanding).forEach(list -> end(list, Kind.CLOSED));
    regions.clear();
  }
}
