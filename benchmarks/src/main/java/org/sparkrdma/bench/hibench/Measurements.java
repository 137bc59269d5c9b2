package org.sparkrdma.bench.hibench;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

/**
 * All that a run measured.
 *
 * @param all in the order in which they were made
 * @param tolerance of a workload: by how much of their size its fractions may differ
 */
record Measurements(List<Measurement> all, ToDoubleFunction<String> tolerance) {

  Measurements {
    all = List.copyOf(all);
  }

  /** In their first order. */
  List<String> workloads() {
    return all.stream().map(Measurement::workload).distinct().toList();
  }

  List<Measurement> of(String workload) {
    return all.stream().filter(one -> one.workload().equals(workload)).toList();
  }

  List<Measurement> of(String workload, Manager manager) {
    return of(workload).stream().filter(one -> one.manager() == manager).toList();
  }

  /** Over the rounds; NaN if none has the value. */
  double median(String workload, Manager manager, ToDoubleFunction<Measurement> value) {
    double[] sorted =
        of(workload, manager).stream()
            .mapToDouble(value)
            .filter(Double::isFinite)
            .sorted()
            .toArray();
    if (sorted.length == 0) {
      return Double.NaN;
    }
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }

  /** What the outputs of a workload say: equal, different, or not compared. */
  String verdict(String workload) {
    OutputSummary first = of(workload).getFirst().output();
    double allowed = tolerance.applyAsDouble(workload);
    if (of(workload).stream().anyMatch(one -> !one.output().matches(first, allowed))) {
      return "different";
    }
    return first.isCompared() ? "equal" : "not compared";
  }

  /** Why the run failed, for people; empty if it didn't. */
  List<String> failures() {
    List<String> failures = new ArrayList<>();
    for (String workload : workloads()) {
      if (verdict(workload).equals("different")) {
        failures.add(workload + ": the outputs differ: " + outputs(workload));
      }
      for (Measurement one : of(workload)) {
        String which = workload + ", " + one.manager().label() + ", round " + one.round() + ": ";
        if (!one.problem().isEmpty()) {
          failures.add(which + one.problem());
        }
        if (one.manager() == Manager.RDMA
            && one.tasks().remoteBlocks() > 0
            && one.readBlocks() == 0) {
          failures.add(which + "no block came by READ");
        }
      }
    }
    return failures;
  }

  private String outputs(String workload) {
    return Arrays.stream(Manager.values())
        .map(
            manager ->
                manager.label()
                    + " "
                    + of(workload, manager).stream().map(Measurement::output).distinct().toList())
        .collect(Collectors.joining(", "));
  }
}
