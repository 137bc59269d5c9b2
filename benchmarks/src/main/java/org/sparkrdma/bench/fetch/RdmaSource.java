package org.sparkrdma.bench.fetch;

import org.apache.spark.network.shuffle.BlockFetchingListener;
import org.apache.spark.network.shuffle.BlockStoreClient;
import org.apache.spark.shuffle.rdma.BenchExecutor;
import org.apache.spark.shuffle.rdma.metrics.Counter;

/** This shuffle's client: one for each reducer, as each task has one. */
final class RdmaSource implements BlockSource {

  private final BenchExecutor executor;
  private final Server server;
  private final Counter counter;
  private BlockStoreClient client;

  /**
   * Over an executor that reads.
   *
   * @param counter of the blocks that come by the way that is measured
   */
  RdmaSource(BenchExecutor executor, Server server, Counter counter) {
    this.executor = executor;
    this.server = server;
    this.counter = counter;
    this.client = executor.newClient();
  }

  @Override
  public void fetch(FetchRequest request, BlockFetchingListener listener) {
    if (request.opensTask()) {
      client = executor.newClient();
    }
    client.fetchBlocks(
        server.host(), server.port(), server.executorId(), request.ids(), listener, null);
  }

  @Override
  public long fetchedBlocks() {
    return executor.counters().get(counter);
  }

  @Override
  public String counted() {
    return executor.counters().toString();
  }
}
