package org.sparkrdma.it.cluster;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * The size of a {@link StandaloneCluster} and what becomes of its files.
 *
 * @param workers 1 or more worker processes
 * @param coresPerWorker cores that each offers, 1 or more; more than the machine has is allowed
 * @param memoryPerWorkerMb memory that each offers to executors, in MiB
 * @param parent where the cluster makes its own temporary folder
 * @param keep leave logs and files behind after close
 * @param conf the cluster's spark-defaults.conf, for masters and workers too
 */
public record ClusterOptions(
    int workers,
    int coresPerWorker,
    int memoryPerWorkerMb,
    Path parent,
    boolean keep,
    Map<String, String> conf) {

  public ClusterOptions {
    conf = Map.copyOf(conf);
    if (workers < 1 || coresPerWorker < 1 || memoryPerWorkerMb < 1) {
      throw new IllegalArgumentException(
          "a cluster needs at least 1 worker, core and MiB, not "
              + workers
              + ", "
              + coresPerWorker
              + " and "
              + memoryPerWorkerMb);
    }
  }

  /** A cluster without settings of its own. */
  public ClusterOptions(
      int workers, int coresPerWorker, int memoryPerWorkerMb, Path parent, boolean keep) {
    this(workers, coresPerWorker, memoryPerWorkerMb, parent, keep, Map.of());
  }

  /**
   * The host of a worker: where there are RDMA devices to test on, their addresses in turn, else
   * loopback ones.
   *
   * @param number from 1
   */
  String host(int number) {
    List<String> devices =
        Stream.of("RDMA_TEST_ADDRESS", "RDMA_TEST_PEER_ADDRESS")
            .map(System::getenv)
            .filter(Objects::nonNull)
            .toList();
    return devices.isEmpty() ? "127.0.0." + number : devices.get((number - 1) % devices.size());
  }

  /** Workers of 1 core and 2 GiB each, files in the system's temporary folder, removed at close. */
  public static ClusterOptions ofWorkers(int workers) {
    return new ClusterOptions(
        workers, 1, 2048, Path.of(System.getProperty("java.io.tmpdir")), false);
  }

  public ClusterOptions withCoresPerWorker(int cores) {
    return new ClusterOptions(workers, cores, memoryPerWorkerMb, parent, keep, conf);
  }

  public ClusterOptions withMemoryPerWorkerMb(int mebibytes) {
    return new ClusterOptions(workers, coresPerWorker, mebibytes, parent, keep, conf);
  }

  public ClusterOptions withKeep(boolean keepFiles) {
    return new ClusterOptions(workers, coresPerWorker, memoryPerWorkerMb, parent, keepFiles, conf);
  }

  public ClusterOptions withConf(Map<String, String> settings) {
    return new ClusterOptions(workers, coresPerWorker, memoryPerWorkerMb, parent, keep, settings);
  }
}
