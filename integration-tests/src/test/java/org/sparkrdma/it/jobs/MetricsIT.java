package org.sparkrdma.it.jobs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.spark.SparkEnv;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sparkrdma.it.jobs.TestApplication.Reading;

/** Operators see the counters in whatever sink they have. */
final class MetricsIT {

  @TempDir private Path directory;

  @Test
  void theCountersOfTheDriverAndOfEachExecutorReachASink() throws Exception {
    Map<String, String> conf =
        Map.of(
            "spark.metrics.conf.*.sink.csv.class", "org.apache.spark.metrics.sink.CsvSink",
            "spark.metrics.conf.*.sink.csv.period", "1",
            "spark.metrics.conf.*.sink.csv.directory", directory.toString());
    Reading reading;
    String application;
    Set<Long> executorProcesses;
    try (TestApplication running = TestApplication.withRdma(conf)) {
      application = running.context.sc().applicationId();
      executorProcesses = running.executorProcesses();
      reading = running.run(Job.REDUCE_BY_KEY);
      SameRowsIT.assertAllByRead(reading, "the job");
      SparkEnv.get().metricsSystem().report();
      assertEquals(reading.readBlocks(), last(application + ".driver", "read-blocks"));
      assertEquals(0, last(application + ".driver", "tcp-blocks.no-location"));
    }
    // Executors report once more when they stop, and until then write where the test looks.
    for (long pid : executorProcesses) {
      Optional<ProcessHandle> executor = ProcessHandle.of(pid);
      if (executor.isPresent()) {
        var _ = executor.get().onExit().get(1, TimeUnit.MINUTES);
      }
    }
    try (Stream<Path> files = Files.list(directory)) {
      List<String> executors =
          files
              .map(file -> file.getFileName().toString())
              .filter(name -> name.endsWith(".RdmaShuffle.read-blocks.csv"))
              .filter(name -> !name.contains(".driver."))
              .map(name -> name.substring(0, name.indexOf(".RdmaShuffle.")))
              .toList();
      assertEquals(2, executors.size(), executors::toString);
      long sum = 0;
      for (String executor : executors) {
        sum += last(executor, "read-blocks");
        assertTrue(last(executor, "read-micros-p99") > 0, executor);
      }
      assertEquals(reading.readBlocks(), sum);
    }
  }

  /** A line is {@code TIME,VALUE}. */
  private long last(String owner, String label) throws IOException {
    Path file = directory.resolve(owner + ".RdmaShuffle." + label + ".csv");
    String line = Files.readAllLines(file).getLast();
    return Long.parseLong(line.substring(line.indexOf(',') + 1));
  }
}
