package org.apache.spark.shuffle.rdma;

import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.spark.SparkEnv;
import org.apache.spark.rpc.RpcEndpointRef;
import org.apache.spark.shuffle.rdma.location.Directory;
import org.apache.spark.shuffle.rdma.location.DirectoryEndpoint;
import org.apache.spark.shuffle.rdma.metrics.CounterSnapshot;
import org.apache.spark.shuffle.rdma.metrics.CounterSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What the driver has: the directory and its endpoint. Any thread may call. */
final class DriverShuffle implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(DriverShuffle.class);

  /** Executors that get a line of their own at the end. Theirs may be lost with their process. */
  private static final int MAX_SUMMARIES = 100;

  private final SparkEnv env;
  private final Directory directory = new Directory();
  private final RpcEndpointRef endpoint;
  private final CounterSource source = new CounterSource(directory::counters);
  private final AtomicBoolean sourceRegistered = new AtomicBoolean();
  private final TabAttachment tab;

  DriverShuffle(SparkEnv env) {
    this.env = env;
    this.endpoint =
        env.rpcEnv()
            .setupEndpoint(
                DirectoryEndpoint.NAME,
                new DirectoryEndpoint(env.rpcEnv(), directory, System::nanoTime));
    this.tab = new TabAttachment(env, directory::overview);
    tab.start();
  }

  void registerShuffle(int shuffleId) {
    directory.registerShuffle(shuffleId);
    tab.tryNow();
    // Not at the start, when Spark has no application id yet for the metrics' names.
    if (sourceRegistered.compareAndSet(false, true)) {
      env.metricsSystem().registerSource(source);
    }
  }

  void unregisterShuffle(int shuffleId) {
    directory.unregisterShuffle(shuffleId);
  }

  Map<String, CounterSnapshot> countersByExecutor() {
    return directory.countersByExecutor();
  }

  CounterSnapshot counters() {
    return directory.counters();
  }

  @Override
  public void close() {
    tab.close();
    Map<String, CounterSnapshot> executors = countersByExecutor();
    executors.entrySet().stream()
        .limit(MAX_SUMMARIES)
        .forEach(
            entry -> LOG.info("RDMA shuffle of executor {}: {}", entry.getKey(), entry.getValue()));
    LOG.info("RDMA shuffle of {} executors: {}", executors.size(), directory.counters());
    env.metricsSystem().removeSource(source);
    env.rpcEnv().stop(endpoint);
  }
}
