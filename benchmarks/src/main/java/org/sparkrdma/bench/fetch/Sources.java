package org.sparkrdma.bench.fetch;

import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.SparkEnv;
import org.apache.spark.shuffle.rdma.BenchExecutor;
import org.apache.spark.shuffle.rdma.metrics.Counter;

/** The sides that fetch from the server, by this process's SparkEnv. */
final class Sources implements AutoCloseable {

  private final Map<Side, BlockSource> sources = new EnumMap<>(Side.class);
  private final List<BenchExecutor> executors = new ArrayList<>();

  /** Starts their fabrics. */
  Sources(SparkEnv env, Server server, FabricOptions fabric) throws IOException {
    try {
      sources.put(Side.NETTY, new NettySource(env.blockManager().blockStoreClient(), server));
      for (Side side : fabric.sides()) {
        BenchExecutor executor = new BenchExecutor(env, fabric.settings(side != Side.TCP));
        executors.add(executor);
        sources.put(side, new RdmaSource(executor, server, counter(side)));
      }
    } catch (IOException | RuntimeException e) {
      close();
      throw e;
    }
  }

  /** Of the blocks that came this way. */
  private static Counter counter(Side side) {
    return switch (side) {
      case LOCAL -> Counter.READ_BLOCKS_DIRECT;
      case TCP -> Counter.READ_BLOCKS_TCP;
      case VERBS -> Counter.READ_BLOCKS_VERBS;
      case NETTY, FLOOR -> throw new IllegalArgumentException(side.label());
    };
  }

  /** All of them, and one more. */
  Map<Side, BlockSource> with(FloorSource floor) {
    Map<Side, BlockSource> all = new EnumMap<>(sources);
    all.put(Side.FLOOR, floor);
    return all;
  }

  @Override
  public void close() {
    executors.forEach(BenchExecutor::close);
  }
}
