package org.sparkrdma.bench.scale;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.spark.shuffle.rdma.fabric.Connection;
import org.apache.spark.shuffle.rdma.fabric.Fabric;
import org.apache.spark.shuffle.rdma.fabric.software.SoftwareFabric;
import org.apache.spark.shuffle.rdma.fabric.software.SoftwareOptions;
import org.sparkrdma.bench.engine.InstantFabric;
import org.sparkrdma.bench.engine.ServedOutputs;

/** What one executor has, and does, by how many there are. */
final class ExecutorFigures {

  private static final double NANOS_PER_SECOND = 1e9;
  private static final int CONNECT_MILLIS = 20_000;
  private static final int BLOCK_BYTES = 1 << 10;

  /** Fewer than in the rest: sixty thousand pages for ten thousand reducers are gigabytes. */
  private static final int PARTITIONS = 128;

  private ExecutorFigures() {}

  static void measure(int executors, MeasureScaleCommand.Figures figures) throws Exception {
    regions(executors, figures);
    connects(executors, figures);
    queuePairs(executors, figures);
  }

  private static void regions(int executors, MeasureScaleCommand.Figures figures)
      throws IOException {
    try (ServedOutputs outputs =
        new ServedOutputs(
            new InstantFabric(),
            List.of(ServedOutputs.EXECUTOR),
            ScaleCases.LARGEST / executors,
            PARTITIONS,
            BLOCK_BYTES)) {
      figures.add(ScaleCases.regions(executors), (double) outputs.regions());
    }
  }

  /** One after another by the software fabric's TCP, with the application's secret. */
  private static void connects(int executors, MeasureScaleCommand.Figures figures)
      throws Exception {
    SoftwareOptions options =
        new SoftwareOptions("127.0.0.1", false, true, CONNECT_MILLIS, new byte[] {1, 2}, "bench");
    try (Fabric peer = SoftwareFabric.start(options);
        Fabric fabric = SoftwareFabric.start(options)) {
      List<Connection> open = new ArrayList<>();
      long start = System.nanoTime();
      for (int i = 0; i < executors; i++) {
        open.add(fabric.connect(peer.address()).get(CONNECT_MILLIS, TimeUnit.MILLISECONDS));
      }
      double seconds = (System.nanoTime() - start) / NANOS_PER_SECOND;
      figures.add(ScaleCases.connects(executors), executors / seconds);
      open.forEach(Connection::close);
    }
  }

  /**
   * Of an executor that reads from all others, by the second reducer as by the first; each of them
   * reads from it likewise, so it has as many again. The verbs fabric closes idle ones beyond
   * spark.shuffle.rdma.maxConnections.
   */
  private static void queuePairs(int executors, MeasureScaleCommand.Figures figures)
      throws IOException {
    try (ReadingExecutor reader = new ReadingExecutor(executors)) {
      int connections = reader.read(1);
      if (reader.read(2) != connections) {
        throw new IllegalStateException("connections grow with reducers");
      }
      figures.add(ScaleCases.connections(executors), 2 * connections);
    }
  }
}
