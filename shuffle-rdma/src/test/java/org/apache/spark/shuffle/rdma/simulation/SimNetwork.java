package org.apache.spark.shuffle.rdma.simulation;

import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

/** Who is where, and what was seen of whom. */
final class SimNetwork {

  private final World world;
  private final Map<Long, SimFabric> fabrics = new HashMap<>();
  private final Map<String, PeerLog> logs = new HashMap<>();
  private boolean readerWasPaused;

  SimNetwork(World world) {
    this.world = world;
  }

  World world() {
    return world;
  }

  SimFabric join(String executorId) {
    long id = fabrics.size() + 1L;
    SimFabric fabric = new SimFabric(this, executorId, id);
    fabrics.put(id, fabric);
    return fabric;
  }

  SimFabric at(long id) {
    return Objects.requireNonNull(fabrics.get(id));
  }

  PeerLog log(String executorId) {
    return logs.computeIfAbsent(executorId, id -> new PeerLog());
  }

  /** Time passes for all others, longer than an owner waits for readers. */
  void pauseReader() {
    readerWasPaused = true;
    world.ownerTimer.advance(2 * Simulation.GRACE_MILLIS);
    world.note("the reader goes on");
  }

  boolean readerWasPaused() {
    return readerWasPaused;
  }
}
