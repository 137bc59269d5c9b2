package org.sparkrdma.bench.fetch;

import org.apache.spark.network.shuffle.BlockFetchingListener;
import org.apache.spark.network.shuffle.BlockStoreClient;

/** Spark's own client and server. */
record NettySource(BlockStoreClient client, Server server) implements BlockSource {

  @Override
  public void fetch(FetchRequest request, BlockFetchingListener listener) {
    client.fetchBlocks(
        server.host(), server.port(), server.executorId(), request.ids(), listener, null);
  }
}
