package org.apache.spark.shuffle.rdma;

import java.io.IOException;
import java.util.Map;
import org.apache.spark.SparkEnv;
import org.apache.spark.network.shuffle.BlockStoreClient;
import org.apache.spark.shuffle.IndexShuffleBlockResolver;
import org.apache.spark.shuffle.rdma.conf.RdmaConf;
import org.apache.spark.shuffle.rdma.metrics.CounterSnapshot;

/**
 * An executor's part of the shuffle, as the shuffle manager makes it, beside a SparkEnv whose own
 * shuffle manager is Spark's. For benchmarks. Any thread may call.
 */
public final class BenchExecutor implements AutoCloseable {

  private final ExecutorShuffle shuffle;

  /**
   * Starts it; a directory must be set up at the driver.
   *
   * @param settings the values of the spark.shuffle.rdma keys that aren't left at their defaults
   * @throws IOException if the fabric can't be had or the directory doesn't answer
   */
  public BenchExecutor(SparkEnv env, Map<String, String> settings) throws IOException {
    shuffle =
        new ExecutorShuffle(
            new RdmaConf(settings::get),
            env,
            (IndexShuffleBlockResolver) env.shuffleManager().shuffleBlockResolver());
  }

  /** Registers and publishes a committed map output, as the end of its map task does. */
  public void publish(int shuffleId, long mapId, long[] lengths) {
    shuffle.publish(shuffleId, mapId, lengths);
  }

  /** What the fetcher iterator of a reduce task gets. */
  public BlockStoreClient newClient() {
    return shuffle.newClient();
  }

  public CounterSnapshot counters() {
    return shuffle.counters.snapshot();
  }

  @Override
  public void close() {
    shuffle.close();
  }
}
