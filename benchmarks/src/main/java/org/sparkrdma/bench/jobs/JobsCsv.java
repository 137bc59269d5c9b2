package org.sparkrdma.bench.jobs;

import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.apache.commons.csv.CSVFormat;
import org.apache.commons.csv.CSVPrinter;
import org.sparkrdma.bench.eventlog.TaskFigures;

/**
 * Every measurement: a row for each job, and one for each of its stages. Units are in the names.
 */
final class JobsCsv {

  static final CSVFormat FORMAT =
      CSVFormat.RFC4180
          .builder()
          .setRecordSeparator('\n')
          .setHeader(
              "workload",
              "shape",
              "side",
              "round",
              "stage",
              "stage_name",
              "wall_seconds",
              "executor_cpu_seconds",
              "task_cpu_seconds",
              "fetch_wait_seconds",
              "bytes_written",
              "remote_bytes",
              "local_bytes",
              "remote_blocks",
              "local_blocks",
              "read_blocks",
              "tcp_blocks")
          .get();

  private JobsCsv() {}

  static void write(JobRuns runs, Path file) throws IOException {
    try (Writer writer = Files.newBufferedWriter(file, StandardCharsets.UTF_8);
        CSVPrinter printer = new CSVPrinter(writer, FORMAT)) {
      for (JobRun run : runs.all()) {
        row(
            printer,
            run,
            new String[] {"", "", Long.toString(run.readBlocks()), Long.toString(run.tcpBlocks())},
            new double[] {run.seconds(), run.cpuSeconds()},
            run.tasks());
        for (StageRun stage : run.stages()) {
          // Blocks by READ are counted for each job, not for each stage.
          String[] words = {
            Integer.toString(stage.figures().stage()), stage.figures().name(), "", ""
          };
          double[] seconds = {stage.wallSeconds(), stage.cpuSeconds()};
          row(printer, run, words, seconds, stage.figures().tasks());
        }
      }
    }
  }

  private static void row(
      CSVPrinter printer, JobRun run, String[] words, double[] seconds, TaskFigures tasks)
      throws IOException {
    printer.printRecord(
        run.plan().workload().label(),
        run.plan().shape().label(),
        run.side().label(),
        run.round(),
        words[0],
        words[1],
        decimal(seconds[0]),
        decimal(seconds[1]),
        decimal(tasks.cpuNanos() / 1e9),
        decimal(tasks.fetchWaitMillis() / 1e3),
        tasks.bytesWritten(),
        tasks.remoteBytes(),
        tasks.localBytes(),
        tasks.remoteBlocks(),
        tasks.localBlocks(),
        words[2],
        words[3]);
  }

  private static String decimal(double value) {
    return String.format(Locale.ROOT, "%.3f", value);
  }
}
