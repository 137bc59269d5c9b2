package org.apache.spark.shuffle.rdma;

import java.util.concurrent.Executor;
import org.apache.spark.network.shuffle.BlockStoreClient;
import org.apache.spark.shuffle.rdma.fetch.FetchEngine;
import org.apache.spark.shuffle.rdma.metrics.Counters;

/** Makes what Spark's iterator gets, for tests of other packages. */
public final class ClientUnderTest {

  private ClientUnderTest() {}

  public static BlockStoreClient of(
      FetchEngine engine, BlockStoreClient tcp, Counters counters, Executor fallbacks) {
    return new RdmaBlockStoreClient(engine, tcp, counters, fallbacks);
  }
}
