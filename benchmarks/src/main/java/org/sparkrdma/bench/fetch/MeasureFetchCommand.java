package org.sparkrdma.bench.fetch;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.spark.SparkEnv;
import org.sparkrdma.bench.MeasuringProcess;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * The process that fetches. It starts the serving one, and prints a line for each step and each
 * sample. A round is each block size by each side; who comes first changes from round to round, so
 * that a machine that gets slower or faster meanwhile favours none.
 */
@Command(name = "fetch-measure", hidden = true)
public final class MeasureFetchCommand implements Callable<Integer> {

  @Option(names = "--folder", required = true)
  private Path folder = Path.of("");

  @Option(names = "--rounds", required = true)
  private int rounds;

  @Option(names = "--bytes", required = true)
  private long bytes;

  @Option(names = "--least-millis", required = true)
  private long leastMillis;

  @Option(names = "--warm-up-millis", required = true)
  private long warmUpMillis;

  @Mixin private FabricOptions fabric = new FabricOptions();

  @Mixin private SizeOptions chosen = new SizeOptions();

  @Override
  public Integer call() throws IOException, InterruptedException {
    Path files = Files.createTempDirectory(folder, "bench-fetch-");
    try {
      MeasuringProcess.sayDevice(fabric.label());
      MeasuringProcess.sayStep("writing map outputs");
      try (Server server = Server.start(files, bytes, fabric.words())) {
        SparkEnv env = SparkProcess.executor(server.driverPort(), files.toString());
        try (Sources sources = new Sources(env, server, fabric)) {
          for (BlockSizes sizes : chosen.all()) {
            BenchShuffle shuffle = BenchShuffle.of(sizes, bytes);
            try (FloorSource floor = new FloorSource(shuffle, files)) {
              measure(shuffle, sources.with(floor), new Measurer(server));
            }
          }
        } finally {
          env.stop();
        }
      }
    } finally {
      delete(files);
    }
    return 0;
  }

  private void measure(BenchShuffle shuffle, Map<Side, BlockSource> sources, Measurer measurer)
      throws IOException, InterruptedException {
    String what = shuffle.sizes().label() + ": ";
    List<FetchRequest> requests = shuffle.requests();
    for (Map.Entry<Side, BlockSource> side : sources.entrySet()) {
      MeasuringProcess.sayStep(what + "checking and warming up " + side.getKey().label());
      measurer.check(shuffle, requests, side.getValue());
      var _ = measurer.measure(requests, side.getValue(), nanos(warmUpMillis));
    }
    List<Side> order = new ArrayList<>(sources.keySet());
    for (int round = 1; round <= rounds; round++) {
      MeasuringProcess.sayStep(what + "round " + round);
      for (Side side : order) {
        BlockSource source = Objects.requireNonNull(sources.get(side));
        measurer
            .measure(requests, source, nanos(leastMillis))
            .samples(round, shuffle.sizes(), side)
            .forEach(MeasuringProcess::say);
      }
      Collections.rotate(order, 1);
    }
  }

  private static long nanos(long millis) {
    return TimeUnit.MILLISECONDS.toNanos(millis);
  }

  /** What the server leaves behind. */
  private static void delete(Path files) throws IOException {
    try (Stream<Path> left = Files.walk(files)) {
      for (Path path : left.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(path);
      }
    }
  }
}
