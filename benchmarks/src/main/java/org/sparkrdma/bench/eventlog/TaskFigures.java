package org.sparkrdma.bench.eventlog;

import java.util.Collection;

/**
 * Sums of tasks' metrics, of tasks that failed too.
 *
 * @param tasks ended, with or without metrics
 * @param cpuNanos processor time of the executors' task threads; other threads aren't in it
 * @param runMillis wall time of the tasks
 * @param fetchWaitMillis that tasks waited for remote blocks
 * @param bytesWritten shuffle bytes that map tasks wrote
 * @param remoteBytes shuffle bytes from other executors, by whichever way
 * @param localBytes shuffle bytes from the reading executor itself
 * @param remoteBlocks blocks of {@code remoteBytes}
 * @param localBlocks blocks of {@code localBytes}
 */
public record TaskFigures(
    long tasks,
    long cpuNanos,
    long runMillis,
    long fetchWaitMillis,
    long bytesWritten,
    long remoteBytes,
    long localBytes,
    long remoteBlocks,
    long localBlocks) {

  public static final TaskFigures NONE = new TaskFigures(0, 0, 0, 0, 0, 0, 0, 0, 0);

  public TaskFigures plus(TaskFigures other) {
    return new TaskFigures(
        tasks + other.tasks,
        cpuNanos + other.cpuNanos,
        runMillis + other.runMillis,
        fetchWaitMillis + other.fetchWaitMillis,
        bytesWritten + other.bytesWritten,
        remoteBytes + other.remoteBytes,
        localBytes + other.localBytes,
        remoteBlocks + other.remoteBlocks,
        localBlocks + other.localBlocks);
  }

  /** The sum over stages. */
  public static TaskFigures of(Collection<StageFigures> stages) {
    return stages.stream().map(StageFigures::tasks).reduce(NONE, TaskFigures::plus);
  }
}
