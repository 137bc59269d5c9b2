package org.sparkrdma.bench.jobs;

import org.sparkrdma.bench.eventlog.StageFigures;
import org.sparkrdma.bench.eventlog.TaskFigures;

/**
 * A stage of a job that ran once.
 *
 * @param figures from the event log
 * @param cpuSeconds of the executors' processes from its start to its end, all threads
 */
record StageRun(StageFigures figures, double cpuSeconds) {

  /** It reads a shuffle, and may write another. */
  boolean reduces() {
    TaskFigures tasks = figures.tasks();
    return tasks.remoteBlocks() + tasks.localBlocks() > 0;
  }

  double wallSeconds() {
    return figures.wallMillis() / 1e3;
  }

  /** Of the tasks' own threads alone. */
  double taskCpuSeconds() {
    return figures.tasks().cpuNanos() / 1e9;
  }
}
