package org.sparkrdma.bench.jobs;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.ToDoubleFunction;
import org.sparkrdma.bench.Aim;
import org.sparkrdma.bench.Spread;

/** What was measured, as text. */
record JobTables(JobRuns runs) {

  /** Medians of each side and the ratios, for people. */
  List<String> comparison() {
    List<String> lines = new ArrayList<>();
    for (JobPlan plan : runs.plans()) {
      lines.add(
          String.format(
              Locale.ROOT,
              "%-34s %8s %8s %8s   %s",
              plan.label() + ", seconds",
              "tcp",
              "disk",
              "ours",
              "ours/tcp (spread) [95 % interval]"));
      for (JobFigure figure : JobFigure.ALL) {
        Ratio ratio = runs.ratio(plan, Side.TCP, figure.value());
        lines.add(
            String.format(
                Locale.ROOT,
                "  %-32s %8.2f %8.2f %8.2f  %s%s",
                figure.name(),
                median(plan, Side.TCP, figure.value()),
                median(plan, Side.DISK, figure.value()),
                median(plan, Side.OURS, figure.value()),
                ratio.text(),
                verdict(figure.aim(plan.shape()), ratio.median())));
      }
      lines.add(
          "  ours over host-local disk, wall:"
              + runs.ratio(plan, Side.DISK, JobRun::seconds).text());
      lines.add("");
    }
    return lines;
  }

  private static String verdict(Optional<Aim> aim, double ratio) {
    return aim.map(
            one -> "  aim " + one.text() + (one.isReachedBy(ratio) ? "  reached" : "  missed"))
        .orElse("");
  }

  private double median(JobPlan plan, Side side, ToDoubleFunction<JobRun> value) {
    return Spread.of(runs.values(plan, side, value)).median();
  }

  /** Medians of each stage, by its place in the job, for people. */
  List<String> stages() {
    List<String> lines = new ArrayList<>();
    lines.add(
        String.format(
            Locale.ROOT,
            "%-22s %-5s %-28s %7s %7s %7s %7s %8s %8s %6s",
            "stage",
            "side",
            "",
            "wall s",
            "CPU s",
            "task s",
            "wait s",
            "blocks",
            "KiB each",
            "READ"));
    for (JobPlan plan : runs.plans()) {
      int stages = runs.of(plan, Side.TCP).getFirst().stages().size();
      for (int place = 0; place < stages; place++) {
        for (Side side : Side.values()) {
          lines.add(stage(plan, side, place));
        }
      }
    }
    return lines;
  }

  private String stage(JobPlan plan, Side side, int place) {
    List<StageRun> stages =
        runs.of(plan, side).stream()
            .filter(run -> run.stages().size() > place)
            .map(run -> run.stages().get(place))
            .toList();
    if (stages.isEmpty()) {
      return plan.label() + " " + side.label() + ": no such stage";
    }
    double blocks =
        median(stages, s -> s.figures().tasks().remoteBlocks() + s.figures().tasks().localBlocks());
    double bytes =
        median(stages, s -> s.figures().tasks().remoteBytes() + s.figures().tasks().localBytes());
    double remote = median(stages, s -> s.figures().tasks().remoteBlocks());
    String name = stages.getFirst().figures().name();
    return String.format(
        Locale.ROOT,
        "%-22s %-5s %-28s %7.2f %7.2f %7.2f %7.2f %8.0f %8.1f %6s",
        plan.label(),
        side.label(),
        place + " " + name.substring(0, Math.min(26, name.length())),
        median(stages, StageRun::wallSeconds),
        median(stages, StageRun::cpuSeconds),
        median(stages, StageRun::taskCpuSeconds),
        median(stages, s -> s.figures().tasks().fetchWaitMillis() / 1e3),
        blocks,
        blocks == 0 ? 0 : bytes / blocks / 1024,
        blocks == 0 ? "-" : share(side, remote, blocks));
  }

  /** Of all blocks; the run failed if remote ones of ours came otherwise. */
  private static String share(Side side, double remote, double blocks) {
    return String.format(Locale.ROOT, "%.2f", side == Side.OURS ? remote / blocks : 0);
  }

  private static double median(List<StageRun> stages, ToDoubleFunction<StageRun> value) {
    return Spread.of(stages.stream().mapToDouble(value).toArray()).median();
  }

  /** For programs. */
  List<String> ratioLines() {
    List<String> lines = new ArrayList<>();
    for (JobPlan plan : runs.plans()) {
      for (JobFigure figure : JobFigure.ALL) {
        lines.add(ratioLine(plan, figure.label(), runs.ratio(plan, Side.TCP, figure.value())));
      }
      lines.add(ratioLine(plan, "wall_vs_disk", runs.ratio(plan, Side.DISK, JobRun::seconds)));
    }
    return lines;
  }

  private static String ratioLine(JobPlan plan, String label, Ratio ratio) {
    return String.format(Locale.ROOT, "RATIO jobs.%s.%s %.2f", plan.label(), label, ratio.median());
  }
}
