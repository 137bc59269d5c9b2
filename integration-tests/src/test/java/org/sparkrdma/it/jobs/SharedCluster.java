package org.sparkrdma.it.jobs;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.sparkrdma.it.cluster.ClusterOptions;
import org.sparkrdma.it.cluster.SparkHome;
import org.sparkrdma.it.cluster.StandaloneCluster;

/**
 * One standalone cluster of two workers for all tests of this JVM; it ends with the JVM. A worker
 * has memory for one executor, so that two of them are always on two workers.
 */
final class SharedCluster {

  private static @Nullable StandaloneCluster cluster;

  private SharedCluster() {}

  static synchronized StandaloneCluster get() throws IOException, InterruptedException {
    StandaloneCluster running = cluster;
    if (running == null) {
      running =
          StandaloneCluster.start(
              SparkHome.ofBuild(),
              ClusterOptions.ofWorkers(2).withCoresPerWorker(2).withMemoryPerWorkerMb(1536));
      cluster = running;
    }
    return running;
  }
}
