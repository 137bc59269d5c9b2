package org.sparkrdma.bench.fetch;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import org.apache.spark.SparkEnv;
import org.apache.spark.shuffle.rdma.BenchExecutor;
import org.apache.spark.shuffle.rdma.location.Directory;
import org.apache.spark.shuffle.rdma.location.DirectoryEndpoint;
import org.apache.spark.shuffle.rdma.metrics.Counter;
import org.apache.spark.storage.BlockManagerId;
import org.sparkrdma.bench.CpuClock;

/**
 * The process that has the map outputs: driver, with the directory, and executor in one. It serves
 * them by Spark's block manager and lets them be read by the shuffle's fabric.
 */
final class BlockServer {

  /** Then come the driver's port, and the block manager's host, port and executor id. */
  static final String READY = "READY";

  /** Then come ns. */
  static final String CPU = "CPU";

  private final SparkEnv env;
  private final Directory directory = new Directory();

  /** With its files below the folder. */
  BlockServer(Path folder) {
    env = SparkProcess.driver(folder.toString());
    env.rpcEnv()
        .setupEndpoint(
            DirectoryEndpoint.NAME,
            new DirectoryEndpoint(env.rpcEnv(), directory, System::nanoTime));
  }

  /**
   * Serves until its standard input ends, and says for each line of that how much CPU time it took.
   *
   * @param bytes of each shuffle, roughly
   * @param settings of the shuffle
   */
  void serve(long bytes, Map<String, String> settings) throws IOException {
    try (BenchExecutor executor = new BenchExecutor(env, settings)) {
      write(bytes, executor);
      BlockManagerId id = env.blockManager().blockManagerId();
      int driverPort = env.rpcEnv().address().port();
      say(READY + " " + driverPort + " " + id.host() + " " + id.port() + " " + id.executorId());
      BufferedReader input =
          new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
      while (input.readLine() != null) {
        say(CPU + " " + CpuClock.nanos());
      }
    }
  }

  private void write(long bytes, BenchExecutor executor) throws IOException {
    MapOutputWriter writer = new MapOutputWriter(env, executor);
    int outputs = 0;
    for (BlockSizes sizes : BlockSizes.values()) {
      BenchShuffle shuffle = BenchShuffle.of(sizes, bytes);
      directory.registerShuffle(shuffle.id());
      writer.write(shuffle);
      outputs += shuffle.parts();
    }
    long published = executor.counters().get(Counter.PUBLICATIONS);
    if (published != outputs) {
      throw new IOException("of " + outputs + " map outputs " + published + " were published");
    }
  }

  private static void say(String line) {
    System.out.println(line);
    System.out.flush();
  }
}
