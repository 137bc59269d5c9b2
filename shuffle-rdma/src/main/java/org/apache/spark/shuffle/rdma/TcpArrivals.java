package org.apache.spark.shuffle.rdma;

import org.apache.spark.network.buffer.ManagedBuffer;
import org.apache.spark.network.shuffle.BlockFetchingListener;
import org.apache.spark.shuffle.rdma.fetch.BlockRange;
import org.apache.spark.shuffle.rdma.metrics.Counter;
import org.apache.spark.shuffle.rdma.metrics.Counters;

/** Counts what Spark's TCP path brings, and passes everything on to Spark's own listener. */
final class TcpArrivals implements BlockFetchingListener {

  private final BlockFetchingListener listener;
  private final Counters counters;

  TcpArrivals(BlockFetchingListener listener, Counters counters) {
    this.listener = listener;
    this.counters = counters;
  }

  @Override
  public void onBlockFetchSuccess(String blockId, ManagedBuffer data) {
    // Before the listener, which may release the buffer and end the task that reports.
    counters.add(Counter.TCP_BYTES, data.size());
    BlockRange block = BlockRange.parse(blockId);
    if (block != null) {
      counters.shuffles().addTcp(block.shuffleId(), data.size());
    }
    listener.onBlockFetchSuccess(blockId, data);
  }

  @Override
  public void onBlockFetchFailure(String blockId, Throwable exception) {
    listener.onBlockFetchFailure(blockId, exception);
  }
}
