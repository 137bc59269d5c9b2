package org.sparkrdma.bench.hibench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** For people: a row for each workload and manager, of medians over the rounds. */
final class MarkdownReport {

  private MarkdownReport() {}

  /**
   * @param facts what was run on what, in the order in which it is said
   */
  static void write(Measurements measurements, Map<String, String> facts, Path file)
      throws IOException {
    List<String> lines = new ArrayList<>(List.of("# Sort shuffle and RDMA shuffle", ""));
    facts.forEach((name, value) -> lines.add("- " + name + ": " + value));
    lines.addAll(List.of("", "Medians over the rounds:", ""));
    lines.addAll(table(measurements));
    List<String> failures = measurements.failures();
    if (!failures.isEmpty()) {
      lines.addAll(List.of("", "What failed:", ""));
      failures.forEach(failure -> lines.add("- " + failure));
    }
    lines.addAll(List.of("", "![Chart](report.png)"));
    Files.write(file, lines);
  }

  /** The table alone. */
  static List<String> table(Measurements measurements) {
    List<String> lines = new ArrayList<>();
    lines.add(
        "| Workload | Shuffle | Seconds | Shuffle MB | Remote MB | Remote blocks | READ share"
            + " | Fetch wait, s | Executor CPU, s | Outputs |");
    lines.add("|---|---|---:|---:|---:|---:|---:|---:|---:|---|");
    for (String workload : measurements.workloads()) {
      for (Manager manager : Manager.values()) {
        lines.add(row(measurements, workload, manager));
      }
    }
    return lines;
  }

  private static String row(Measurements all, String workload, Manager manager) {
    return String.format(
        Locale.ROOT,
        "| %s | %s | %s | %s | %s | %s | %s | %s | %s | %s |",
        workload,
        manager.label(),
        cell(all, workload, manager, 2, Measurement::seconds),
        cell(all, workload, manager, 1, Measurement::shuffleMegabytes),
        cell(all, workload, manager, 1, one -> one.tasks().remoteBytes() / 1e6),
        cell(all, workload, manager, 0, one -> one.tasks().remoteBlocks()),
        cell(all, workload, manager, 2, one -> one.readShare().orElse(Double.NaN)),
        cell(all, workload, manager, 2, Measurement::fetchWaitSeconds),
        cell(all, workload, manager, 2, Measurement::cpuSeconds),
        all.verdict(workload));
  }

  private static String cell(
      Measurements all,
      String workload,
      Manager manager,
      int digits,
      ToDoubleFunction<Measurement> value) {
    double median = all.median(workload, manager, value);
    return Double.isNaN(median) ? "-" : String.format(Locale.ROOT, "%." + digits + "f", median);
  }
}
