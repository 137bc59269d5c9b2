package org.sparkrdma.bench.hibench;

import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.apache.commons.csv.CSVFormat;
import org.apache.commons.csv.CSVPrinter;

/** A row for each measurement; the columns' names give the units. */
final class CsvReport {

  static final CSVFormat FORMAT =
      CSVFormat.RFC4180
          .builder()
          .setRecordSeparator('\n')
          .setHeader(
              "workload",
              "manager",
              "round",
              "seconds",
              "shuffle_bytes",
              "remote_bytes",
              "local_bytes",
              "remote_blocks",
              "local_blocks",
              "read_blocks",
              "tcp_blocks",
              "read_share",
              "fetch_wait_seconds",
              "executor_cpu_seconds",
              "output",
              "problem")
          .get();

  private CsvReport() {}

  static void write(Measurements measurements, Path file) throws IOException {
    try (Writer writer = Files.newBufferedWriter(file, StandardCharsets.UTF_8);
        CSVPrinter printer = new CSVPrinter(writer, FORMAT)) {
      for (Measurement one : measurements.all()) {
        printer.printRecord(
            one.workload(),
            one.manager().label(),
            one.round(),
            decimal(one.seconds()),
            one.tasks().bytesWritten(),
            one.tasks().remoteBytes(),
            one.tasks().localBytes(),
            one.tasks().remoteBlocks(),
            one.tasks().localBlocks(),
            one.readBlocks(),
            one.tcpBlocks(),
            one.readShare().isPresent() ? decimal(one.readShare().getAsDouble()) : "",
            decimal(one.fetchWaitSeconds()),
            decimal(one.cpuSeconds()),
            one.output(),
            one.problem());
      }
    }
  }

  private static String decimal(double value) {
    return String.format(Locale.ROOT, "%.3f", value);
  }
}
