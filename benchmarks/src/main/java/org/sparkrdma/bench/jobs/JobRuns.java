package org.sparkrdma.bench.jobs;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/**
 * All that was measured.
 *
 * @param all in any order
 */
record JobRuns(List<JobRun> all) {

  JobRuns {
    all = List.copyOf(all);
  }

  /** In the order in which they are first met. */
  List<JobPlan> plans() {
    return all.stream().map(JobRun::plan).distinct().toList();
  }

  /** By round. */
  List<JobRun> of(JobPlan plan, Side side) {
    return all.stream()
        .filter(run -> run.plan().equals(plan) && run.side() == side)
        .sorted(Comparator.comparingInt(JobRun::round))
        .toList();
  }

  double[] values(JobPlan plan, Side side, ToDoubleFunction<JobRun> value) {
    return of(plan, side).stream().mapToDouble(value).toArray();
  }

  /** Ours over another's, round by round. */
  Ratio ratio(JobPlan plan, Side other, ToDoubleFunction<JobRun> value) {
    double[] ours = values(plan, Side.OURS, value);
    double[] others = values(plan, other, value);
    if (ours.length != others.length) {
      throw new IllegalArgumentException(
          plan.label() + ": " + ours.length + " and " + others.length + " rounds");
    }
    double[] ratios = new double[ours.length];
    for (int i = 0; i < ratios.length; i++) {
      ratios[i] = ours[i] / others[i];
    }
    return Ratio.of(ratios);
  }

  /** Why the comparison is worth nothing, for people; empty if it isn't so. */
  List<String> failures() {
    List<String> failures = new ArrayList<>();
    for (JobPlan plan : plans()) {
      List<JobRun> runs = all.stream().filter(run -> run.plan().equals(plan)).toList();
      if (runs.stream().map(JobRun::output).distinct().count() > 1) {
        failures.add(
            plan.label()
                + ": the outputs differ: "
                + runs.stream().map(run -> run.side().label() + " " + run.output()).toList());
      }
      for (JobRun run : runs) {
        String which =
            String.format(
                Locale.ROOT, "%s, %s, round %d: ", plan.label(), run.side().label(), run.round());
        problems(run).forEach(problem -> failures.add(which + problem));
      }
    }
    return failures;
  }

  private static List<String> problems(JobRun run) {
    List<String> problems = new ArrayList<>();
    String own = run.report().values().getOrDefault("problems", "");
    if (!own.isEmpty()) {
      problems.add(own);
    }
    long remote = run.tasks().remoteBlocks();
    if ((run.side() == Side.DISK) == (remote > 0)) {
      problems.add(remote + " blocks came from other executors");
    }
    if (run.side() == Side.OURS && run.readBlocks() < remote) {
      problems.add(run.readBlocks() + " of " + remote + " blocks came by READ");
    }
    if (run.tcpBlocks() > 0) {
      problems.add(run.tcpBlocks() + " blocks went by TCP");
    }
    return problems;
  }
}
