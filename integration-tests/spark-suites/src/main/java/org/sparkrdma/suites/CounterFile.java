package org.sparkrdma.suites;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.spark.SparkEnv;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerApplicationEnd;
import org.apache.spark.shuffle.rdma.RdmaShuffleManager;

/**
 * Appends the manager's counters to a file at the end of each application of a suite, a line {@code
 * LABEL VALUE} for each. Spark makes it on the driver, by {@code spark.extraListeners}, and calls
 * it before the manager stops.
 */
public final class CounterFile extends SparkListener {

  static final String PROPERTY = "sparkrdma.suites.counters";

  @Override
  public void onApplicationEnd(SparkListenerApplicationEnd end) {
    if (SparkEnv.get().shuffleManager() instanceof RdmaShuffleManager manager) {
      List<String> lines =
          manager.counters().entrySet().stream()
              .map(counter -> counter.getKey() + " " + counter.getValue())
              .toList();
      try {
        Files.write(
            Path.of(System.getProperty(PROPERTY)),
            lines,
            StandardOpenOption.CREATE,
            StandardOpenOption.APPEND);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  /** Sums the counters of a suite's applications; empty if none wrote the file. */
  static Map<String, Long> sums(Path file) throws IOException {
    Map<String, Long> sums = new TreeMap<>();
    if (Files.exists(file)) {
      for (String line : Files.readAllLines(file)) {
        int space = line.indexOf(' ');
        sums.merge(line.substring(0, space), Long.valueOf(line.substring(space + 1)), Long::sum);
      }
    }
    return sums;
  }
}
