package org.sparkrdma.bench.scale;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.spark.SecurityManager;
import org.apache.spark.SparkConf;
import org.apache.spark.internal.config.package$;
import org.apache.spark.rpc.RpcEnv;
import org.apache.spark.shuffle.rdma.location.Directory;
import org.apache.spark.shuffle.rdma.location.DirectoryEndpoint;
import org.sparkrdma.bench.CpuClock;
import org.sparkrdma.bench.JavaCommand;
import scala.Option;

/**
 * What this process, which has the directory, spends while another one publishes and looks up by
 * Spark's RPC for all the executors.
 */
final class RpcFigures {

  static final String READY = "READY";

  private static final double NANOS_PER_SECOND = 1e9;
  private static final double BYTES_PER_MEGABYTE = 1e6;
  private static final long END_SECONDS = 30;

  private RpcFigures() {}

  static RpcEnv env(SparkConf conf, boolean clientMode) {
    SecurityManager security =
        new SecurityManager(conf, Option.empty(), package$.MODULE$.AUTH_SECRET_FILE());
    return RpcEnv.create("bench", "localhost", 0, conf, security, clientMode);
  }

  static void measure(int outputs, MeasureScaleCommand.Figures figures)
      throws IOException, InterruptedException {
    RpcEnv env = env(new SparkConf(false), false);
    try {
      Directory directory = new Directory();
      directory.registerShuffle(SimulatedApplication.SHUFFLE);
      env.setupEndpoint(
          DirectoryEndpoint.NAME, new DirectoryEndpoint(env, directory, System::nanoTime));
      List<String> command = new ArrayList<>(JavaCommand.withSpark("scale-ask", "2g"));
      command.add(Integer.toString(env.address().port()));
      command.add(Integer.toString(outputs));
      Process asking =
          new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
      try (BufferedReader lines = asking.inputReader(StandardCharsets.UTF_8);
          Writer go = asking.outputWriter(StandardCharsets.UTF_8)) {
        await(lines);
        long start = CpuClock.nanos();
        tell(go);
        await(lines);
        long publishing = CpuClock.nanos() - start;
        figures.add(ScaleCases.publish(outputs), publishing / NANOS_PER_SECOND);
        start = CpuClock.nanos();
        tell(go);
        long bytes = Long.parseLong(await(lines));
        long lookingUp = CpuClock.nanos() - start;
        figures.add(ScaleCases.lookupsSeconds(outputs), lookingUp / NANOS_PER_SECOND);
        figures.add(ScaleCases.lookupsMegabytes(outputs), bytes / BYTES_PER_MEGABYTE);
      } finally {
        if (!asking.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
          asking.destroyForcibly();
        }
      }
    } finally {
      env.shutdown();
      env.awaitTermination();
    }
  }

  private static void tell(Writer go) throws IOException {
    go.write("go\n");
    go.flush();
  }

  /** What it says with {@link #READY}. */
  private static String await(BufferedReader lines) throws IOException {
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      if (line.startsWith(READY)) {
        return line.substring(READY.length()).strip();
      }
    }
    throw new IOException("the asking process ended too early (see above)");
  }
}
