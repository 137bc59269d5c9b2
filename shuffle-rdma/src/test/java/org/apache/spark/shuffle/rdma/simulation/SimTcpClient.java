package org.apache.spark.shuffle.rdma.simulation;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.apache.spark.network.buffer.NioManagedBuffer;
import org.apache.spark.network.shuffle.BlockFetchingListener;
import org.apache.spark.network.shuffle.BlockStoreClient;
import org.apache.spark.network.shuffle.DownloadFileManager;
import org.jspecify.annotations.Nullable;

/** Stands for Spark's own client: it answers each block once, rightly or with a failure. */
final class SimTcpClient extends BlockStoreClient {

  private static final int MILLIS = 40;

  private final World world;

  /** What it was asked for is what its fetch wants. */
  private final Map<String, WantedBlock> blocks = new HashMap<>();

  /** Failures that it gave, by block. */
  final Map<String, Throwable> failures = new HashMap<>();

  SimTcpClient(World world) {
    this.world = world;
  }

  void serve(WantedBlock block) {
    blocks.put(block.blockId, block);
  }

  @Override
  public void fetchBlocks(
      String host,
      int port,
      String execId,
      String[] blockIds,
      BlockFetchingListener listener,
      @Nullable DownloadFileManager files) {
    if (files == null && world.strikes(Fault.TCP_THROWS)) {
      IllegalStateException thrown = new IllegalStateException("simulated");
      for (String blockId : blockIds) {
        failures.put(blockId, thrown);
      }
      throw thrown;
    }
    for (String blockId : blockIds) {
      WantedBlock block = Objects.requireNonNull(blocks.get(blockId), blockId);
      world.check(block.output.owner().equals(execId), block + " was asked of " + execId);
      boolean fails = world.strikes(Fault.TCP_FAILS);
      world.later(
          world.delay(MILLIS),
          () -> {
            if (fails) {
              IOException failure = new IOException("simulated: " + block);
              failures.put(blockId, failure);
              listener.onBlockFetchFailure(blockId, failure);
            } else {
              listener.onBlockFetchSuccess(blockId, new NioManagedBuffer(block.bytes()));
            }
          });
    }
  }

  @Override
  public void close() {
    throw new AssertionError("Spark closes its own client");
  }
}
