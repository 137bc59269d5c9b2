package org.apache.spark.shuffle.rdma.simulation;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.spark.shuffle.rdma.fetch.BlockRange;
import org.apache.spark.shuffle.rdma.fetch.Delivery;
import org.apache.spark.shuffle.rdma.fetch.FetchEngine;
import org.apache.spark.shuffle.rdma.memory.BufferSlice;
import org.apache.spark.shuffle.rdma.metrics.FallbackReason;

/** A fetch of one executor's blocks from the engine itself, which tells the reasons. */
final class EngineFetch implements Delivery {

  /** How long a task keeps a block. */
  private static final int HELD_MILLIS = 300;

  private final World world;
  private final SimFabric reader;
  private final PeerLog log;
  private final Map<String, WantedBlock> blocks = new LinkedHashMap<>();
  private final long startMillis;
  private final int logStart;

  /** No other fetch went to this executor meanwhile, and this one wants one block. */
  private boolean alone;

  private boolean cancelled;

  EngineFetch(World world, SimFabric reader, String executorId, List<WantedBlock> wanted) {
    this.world = world;
    this.reader = reader;
    log = reader.network().log(executorId);
    wanted.forEach(block -> blocks.put(block.blockId, block));
    startMillis = world.nowMillis();
    logStart = log.events.size();
    alone = log.begin(this) && blocks.size() == 1;
  }

  void joinedByAnother() {
    alone = false;
  }

  void start(FetchEngine engine, String executorId) {
    engine.fetch(
        executorId,
        blocks.keySet().stream()
            .map(blockId -> Objects.requireNonNull(BlockRange.parse(blockId)))
            .toList(),
        this);
  }

  /** The task is gone: what comes is let go at once. */
  void cancel() {
    cancelled = true;
  }

  @Override
  public void delivered(BlockRange range, BufferSlice data) {
    WantedBlock block = ended(range);
    SimList list = reader.completing();
    world.check(list != null && list.failure == null, block + " came by no completed list");
    world.check(list == null || !list.sawRetirement(), block + " came of a retired output");
    world.check(block.hasBytes(data.byteBuffer()), block + " came with other bytes");
    world.tally.blocksByRead++;
    if (!cancelled) {
      data.retain();
      world.later(world.delay(HELD_MILLIS), () -> letGo(block, data));
    }
  }

  private void letGo(WantedBlock block, BufferSlice data) {
    world.check(block.hasBytes(data.byteBuffer()), block + " changed while it was held");
    data.release();
  }

  @Override
  public void fallBack(List<BlockRange> ranges, FallbackReason reason) {
    for (BlockRange range : ranges) {
      WantedBlock block = ended(range);
      world.tally.reasons.merge(reason, 1L, Long::sum);
      if (!world.engineClosed) {
        check(block, reason);
      }
    }
  }

  private void check(WantedBlock block, FallbackReason reason) {
    ReasonOracle oracle =
        new ReasonOracle(log.since(logStart), world.nowMillis() - Simulation.READ_TIMEOUT_MILLIS);
    String objection = alone ? oracle.objectionIfAlone(reason) : oracle.objection(reason);
    world.check(objection == null, block + " falls back for " + reason + ", but " + objection);
    world.tally.reasonsForetold += alone ? 1 : 0;
  }

  private WantedBlock ended(BlockRange range) {
    WantedBlock block = Objects.requireNonNull(blocks.get(range.blockId()));
    world.note(block + " ends");
    world.check(block.end(), block + " ended twice");
    long millis = world.nowMillis() - Math.max(startMillis, log.progressMillis);
    world.check(millis <= Simulation.FETCH_MILLIS, block + " waited " + millis + " ms");
    if (blocks.values().stream().allMatch(WantedBlock::hasEnded)) {
      log.end(this);
    }
    return block;
  }

  void checkEnded() {
    blocks.values().forEach(block -> world.check(block.hasEnded(), block + " never ended"));
  }
}
