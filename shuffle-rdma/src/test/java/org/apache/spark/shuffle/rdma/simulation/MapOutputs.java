package org.apache.spark.shuffle.rdma.simulation;

import java.io.IOException;
import java.util.List;
import org.apache.spark.shuffle.rdma.fabric.FabricException;
import org.apache.spark.shuffle.rdma.location.Codec;
import org.apache.spark.shuffle.rdma.location.Directory;
import org.apache.spark.shuffle.rdma.location.DirectoryClient;
import org.apache.spark.shuffle.rdma.location.Message;
import org.apache.spark.shuffle.rdma.memory.Absence;
import org.apache.spark.shuffle.rdma.memory.LocalDirectories;
import org.apache.spark.shuffle.rdma.memory.OutputLocation;
import org.apache.spark.shuffle.rdma.memory.OutputRegistry;
import org.apache.spark.shuffle.rdma.memory.PinBudget;
import org.apache.spark.shuffle.rdma.metrics.Counter;
import org.apache.spark.shuffle.rdma.metrics.Counters;

/** An executor that has map outputs: its registry and its directory client are the real ones. */
final class MapOutputs implements OutputRegistry.Publisher {

  /** Room for a slab of pages, one of copies, and one mapped output. */
  private static final long SMALL_BUDGET = (2 << 20) + 73_728;

  final String executorId;
  final SimFabric fabric;
  private final World world;
  private final Counters counters = new Counters();
  private final DirectoryClient directory;
  private final OutputRegistry registry;

  MapOutputs(World world, SimNetwork network, Directory directory, String executorId) {
    this.world = world;
    this.executorId = executorId;
    this.fabric = network.join(executorId);
    this.directory = new DirectoryClient(new SimTransport(world, directory), counters, executorId);
    long limit = world.has(Fault.BUDGET_SMALL) ? SMALL_BUDGET : PinBudget.UNLIMITED;
    registry =
        new OutputRegistry(
            fabric,
            new PinBudget(limit, limit, counters),
            LocalDirectories.probe(List.of(), fabric),
            counters,
            world.ownerTimer,
            new OutputRegistry.Limits(100, Simulation.GRACE_MILLIS),
            world.ownerTimer::nanoTime,
            this);
    directory.hello(
        new Message.Hello(executorId, fabric.name(), fabric.address(), Codec.PROTOCOL_VERSION));
  }

  @Override
  public void published(OutputLocation location) {
    directory.publish(location);
  }

  @Override
  public void absent(int shuffleId, Absence absence, long... mapIds) {
    directory.absent(shuffleId, absence, mapIds);
  }

  void register(MapOutput output, MapFiles files) {
    try {
      var _ =
          registry.register(
              output.shuffleId(),
              output.mapId(),
              files.path(output.file()),
              files.lengths(output.file()));
    } catch (FabricException e) {
      world.note("not registered: " + output);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  void retire(MapOutput output) {
    registry.retire(output.shuffleId(), List.of(output.mapId()));
  }

  void unregisterShuffle(int shuffleId) {
    registry.unregisterShuffle(shuffleId);
  }

  /** As when its process is killed. */
  void die() {
    fabric.die();
    registry.close();
  }

  void close() {
    registry.close();
    world.check(counters.get(Counter.REGIONS_LIVE) == 0, "outputs left at " + executorId);
    world.check(counters.get(Counter.BUDGET_BYTES) == 0, "budget left at " + executorId);
    world.check(fabric.regionCount() == 0, "regions left at " + executorId);
  }
}
