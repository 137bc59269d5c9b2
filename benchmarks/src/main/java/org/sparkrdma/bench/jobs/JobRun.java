package org.sparkrdma.bench.jobs;

import java.util.List;
import java.util.function.ToDoubleFunction;
import org.sparkrdma.bench.eventlog.StageFigures;
import org.sparkrdma.bench.eventlog.TaskFigures;
import org.sparkrdma.it.terasort.Report;
import org.sparkrdma.it.terasort.Totals;

/**
 * One job, run once.
 *
 * @param plan which
 * @param round from 1
 * @param report what the application said of it
 * @param stages in the order of their submission
 */
record JobRun(JobPlan plan, Side side, int round, Report report, List<StageRun> stages) {

  JobRun {
    stages = List.copyOf(stages);
  }

  /** Joins what the application and its event log say. */
  static JobRun of(JobPlan plan, Side side, int round, Report report, List<StageFigures> stages) {
    return new JobRun(
        plan,
        side,
        round,
        report,
        stages.stream()
            .map(
                stage ->
                    new StageRun(
                        stage, report.number(JobsApp.STAGE_CPU_MILLIS + stage.stage()) / 1e3))
            .toList());
  }

  double seconds() {
    return Double.parseDouble(report.text(Report.SECONDS));
  }

  /** Of the executors' processes, all threads. */
  double cpuSeconds() {
    return report.number(JobsApp.CPU_MILLIS) / 1e3;
  }

  double taskCpuSeconds() {
    return sum(stages, StageRun::taskCpuSeconds);
  }

  /** The stages that read a shuffle. */
  List<StageRun> reduces() {
    return stages.stream().filter(StageRun::reduces).toList();
  }

  double reduceSeconds() {
    return sum(reduces(), StageRun::wallSeconds);
  }

  double reduceCpuSeconds() {
    return sum(reduces(), StageRun::cpuSeconds);
  }

  double reduceTaskCpuSeconds() {
    return sum(reduces(), StageRun::taskCpuSeconds);
  }

  private static double sum(List<StageRun> stages, ToDoubleFunction<StageRun> value) {
    return stages.stream().mapToDouble(value).sum();
  }

  TaskFigures tasks() {
    return TaskFigures.of(stages.stream().map(StageRun::figures).toList());
  }

  long readBlocks() {
    return report.counter("read-blocks");
  }

  /** Blocks that our manager handed to Spark's TCP path. */
  long tcpBlocks() {
    return report.counter("tcp-blocks");
  }

  Totals output() {
    return report.totals();
  }
}
