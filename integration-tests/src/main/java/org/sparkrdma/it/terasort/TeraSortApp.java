package org.sparkrdma.it.terasort;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;

/**
 * The application that spark-submit runs: {@code generate FOLDER PARTITIONS RECORDS SEED REPORT} or
 * {@code sort INPUT PARTITIONS OUTPUT PARTITIONS RECORDS CHECKSUM REPORT}. REPORT is a local file
 * for a {@link Report}.
 */
public final class TeraSortApp {

  private TeraSortApp() {}

  public static void main(String[] arguments) throws IOException, InterruptedException {
    List<String> words = List.of(arguments);
    try (JavaSparkContext spark = new JavaSparkContext(new SparkConf())) {
      if (words.size() == 6 && words.getFirst().equals("generate")) {
        generate(spark, words.subList(1, 6));
      } else if (words.size() == 8 && words.getFirst().equals("sort")) {
        sort(spark, words.subList(1, 8));
      } else {
        throw new IllegalArgumentException(
            "generate FOLDER PARTITIONS RECORDS SEED REPORT or "
                + "sort INPUT PARTITIONS OUTPUT PARTITIONS RECORDS CHECKSUM REPORT, not "
                + words);
      }
    }
  }

  private static void generate(JavaSparkContext spark, List<String> words) throws IOException {
    Totals written =
        new TeraSort(spark)
            .generate(
                new RecordFiles(words.get(0)),
                Integer.parseInt(words.get(1)),
                Long.parseLong(words.get(2)),
                Long.parseLong(words.get(3)));
    new Report(
            Map.of(
                Report.RECORDS, Long.toString(written.records()),
                Report.CHECKSUM, Long.toString(written.checksum())))
        .save(Path.of(words.get(4)));
  }

  private static void sort(JavaSparkContext spark, List<String> words)
      throws IOException, InterruptedException {
    RecordFiles input = new RecordFiles(words.get(0));
    int inputPartitions = Integer.parseInt(words.get(1));
    RecordFiles output = new RecordFiles(words.get(2));
    int partitions = Integer.parseInt(words.get(3));
    Totals expected = new Totals(Long.parseLong(words.get(4)), Long.parseLong(words.get(5)));
    TeraSort job = new TeraSort(spark);

    // Checks the input, and warms executors and the page cache alike for every shuffle manager.
    Totals read = job.total(input, inputPartitions);
    if (!read.equals(expected)) {
      throw new IOException("the input has " + read + " instead of " + expected);
    }
    ShuffleTotals shuffled = new ShuffleTotals(TeraSort.SORT_JOBS);
    spark.sc().addSparkListener(shuffled);
    long start = System.nanoTime();
    Totals sorted = job.sort(input, inputPartitions, output, partitions);
    double seconds = (System.nanoTime() - start) / 1e9;
    shuffled.await();
    Map<String, Long> counters = ManagerCounters.await(shuffled.remoteBlocks.sum());

    Map<String, String> values = new TreeMap<>();
    values.put(Report.SECONDS, String.format(Locale.ROOT, "%.3f", seconds));
    values.put(Report.RECORDS, Long.toString(sorted.records()));
    values.put(Report.CHECKSUM, Long.toString(sorted.checksum()));
    values.put(Report.BYTES_WRITTEN, shuffled.bytesWritten.toString());
    values.put(Report.REMOTE_BYTES, shuffled.remoteBytes.toString());
    values.put(Report.REMOTE_BLOCKS, shuffled.remoteBlocks.toString());
    values.put(Report.LOCAL_BLOCKS, shuffled.localBlocks.toString());
    values.put(Report.FETCH_WAIT_MILLIS, shuffled.fetchWaitMillis.toString());
    counters.forEach((label, value) -> values.put(Report.COUNTER + label, value.toString()));
    List<String> problems = job.validate(output, partitions, expected);
    values.put(Report.PROBLEMS, String.join("; ", problems));
    new Report(values).save(Path.of(words.get(6)));
  }
}
