package org.sparkrdma.bench.all;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.sparkrdma.bench.Aim;

/**
 * All figures, each beside what it should be.
 *
 * @param endings by benchmark, in their order
 */
record ReachTable(Map<String, Benchmark.Ending> endings) {

  ReachTable {
    endings = new LinkedHashMap<>(endings);
  }

  /**
   * A figure.
   *
   * @param value empty if it wasn't measured
   */
  record Row(String name, Optional<Double> value, Optional<Aim> aim, String verdict) {}

  /** What was measured, and after each benchmark's the aims that weren't. */
  List<Row> rows() {
    List<Row> rows = new ArrayList<>();
    endings.forEach(
        (benchmark, ending) -> {
          Map<String, Aim> open = Reach.aims();
          open.keySet().removeIf(name -> !name.startsWith(benchmark + "."));
          for (RatioLine line : ending.ratios()) {
            open.remove(line.name());
            Optional<Aim> aim = Reach.of(line.name());
            String verdict =
                aim.map(one -> one.isReachedBy(line.value()) ? "reached" : "missed").orElse("");
            rows.add(new Row(line.name(), Optional.of(line.value()), aim, verdict));
          }
          open.forEach(
              (name, aim) ->
                  rows.add(new Row(name, Optional.empty(), Optional.of(aim), "not measured")));
        });
    return rows;
  }

  /** For people. */
  List<String> lines() {
    List<String> lines = new ArrayList<>();
    lines.add(String.format(Locale.ROOT, "%-44s %10s  %-10s", "figure", "value", "aim"));
    for (Row row : rows()) {
      lines.add(
          String.format(
                  Locale.ROOT,
                  "%-44s %10s  %-10s %s",
                  row.name(),
                  row.value().map(value -> String.format(Locale.ROOT, "%.2f", value)).orElse("-"),
                  row.aim().map(Aim::text).orElse(""),
                  row.verdict())
              .stripTrailing());
    }
    endings.forEach(
        (benchmark, ending) -> {
          if (!ending.problem().isEmpty()) {
            lines.add(
                benchmark + (ending.failed() ? " FAILED: " : " was skipped: ") + ending.problem());
          }
        });
    return lines;
  }

  /** For programs: name, value, aim and verdict, with the first line's names. */
  List<String> csv() {
    List<String> lines = new ArrayList<>(List.of("name,value,aim,verdict"));
    for (Row row : rows()) {
      lines.add(
          String.join(
              ",",
              row.name(),
              row.value().map(String::valueOf).orElse(""),
              row.aim().map(Aim::text).orElse(""),
              row.verdict()));
    }
    return lines;
  }
}
