package org.sparkrdma.bench.builtin;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeoutException;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.sql.SparkSession;
import org.sparkrdma.it.terasort.ManagerCounters;
import org.sparkrdma.it.terasort.Report;
import org.sparkrdma.it.terasort.Totals;

/**
 * The application that spark-submit runs: {@code generate FOLDER SIZE WORKLOAD,...} writes the
 * input, {@code run FOLDER SIZE WORKLOAD,... PROGRESS REPORT} runs workloads one after another,
 * each as a job group of its label. PROGRESS is a local file that gets a line for each workload
 * that begins; REPORT is one for a {@link Report} whose names begin with the workload's label and a
 * dot.
 */
public final class BuiltinApp {

  private BuiltinApp() {}

  public static void main(String[] arguments)
      throws IOException, InterruptedException, TimeoutException {
    List<String> words = List.of(arguments);
    try (SparkSession spark = SparkSession.builder().getOrCreate()) {
      if (words.size() == 4 && words.getFirst().equals("generate")) {
        new Inputs(spark, words.get(1), Size.of(words.get(2))).generate(workloads(words.get(3)));
      } else if (words.size() == 6 && words.getFirst().equals("run")) {
        Inputs inputs = new Inputs(spark, words.get(1), Size.of(words.get(2)));
        Map<String, String> values = new TreeMap<>();
        new Run(inputs, Path.of(words.get(4)), values).all(workloads(words.get(3)));
        new Report(values).save(Path.of(words.get(5)));
      } else {
        throw new IllegalArgumentException(
            "generate FOLDER SIZE WORKLOAD,... or run FOLDER SIZE WORKLOAD,... PROGRESS REPORT, not "
                + words);
      }
    }
  }

  private static List<Workload> workloads(String labels) {
    return Arrays.stream(labels.split(",", -1)).map(Workload::of).toList();
  }

  /** Workloads one after another. */
  private record Run(Inputs inputs, Path progress, Map<String, String> values) {

    void all(List<Workload> workloads) throws IOException, InterruptedException, TimeoutException {
      SparkSession spark = inputs.spark();
      RemoteBlocks blocks = new RemoteBlocks();
      spark.sparkContext().addSparkListener(blocks);
      Map<String, Long> before = ManagerCounters.now();
      for (Workload workload : workloads) {
        Files.writeString(
            progress,
            workload.label() + "\n",
            StandardCharsets.UTF_8,
            StandardOpenOption.CREATE,
            StandardOpenOption.APPEND);
        spark.sparkContext().setJobGroup(workload.label(), workload.label(), false);
        long start = System.nanoTime();
        Totals output = workload.run(inputs);
        double seconds = (System.nanoTime() - start) / 1e9;
        // What isn't measured, such as TeraSort's validation, belongs to no group.
        spark.sparkContext().clearJobGroup();
        spark.sparkContext().listenerBus().waitUntilEmpty();
        Map<String, Long> after = ManagerCounters.await(blocks.count());
        put(workload, Report.SECONDS, String.format(Locale.ROOT, "%.3f", seconds));
        put(workload, Report.RECORDS, Long.toString(output.records()));
        put(workload, Report.CHECKSUM, Long.toString(output.checksum()));
        put(workload, Report.PROBLEMS, String.join("; ", workload.problems(inputs, output)));
        for (Map.Entry<String, Long> counter : after.entrySet()) {
          long since = counter.getValue() - before.getOrDefault(counter.getKey(), 0L);
          put(workload, Report.COUNTER + counter.getKey(), Long.toString(since));
        }
        before = after;
      }
    }

    private void put(Workload workload, String name, String value) {
      values.put(workload.label() + "." + name, value);
    }
  }

  /** Counts blocks from other executors. Spark's listener thread adds; any thread may ask. */
  private static final class RemoteBlocks extends SparkListener {
    private long count;

    @Override
    public synchronized void onTaskEnd(SparkListenerTaskEnd event) {
      // Spark leaves it out for tasks whose executor is lost.
      if (event.taskMetrics() != null) {
        count += event.taskMetrics().shuffleReadMetrics().remoteBlocksFetched();
      }
    }

    synchronized long count() {
      return count;
    }
  }
}
