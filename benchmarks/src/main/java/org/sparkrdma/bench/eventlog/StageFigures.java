package org.sparkrdma.bench.eventlog;

/**
 * One attempt of a stage.
 *
 * @param stage Spark's id
 * @param attempt from 0
 * @param name Spark's: the action and the place in the code
 * @param group the job group that it ran in; empty for none
 * @param submittedMillis since the epoch
 * @param completedMillis since the epoch; as {@code submittedMillis} if the log doesn't have the
 *     end
 * @param tasks what its tasks did
 */
public record StageFigures(
    int stage,
    int attempt,
    String name,
    String group,
    long submittedMillis,
    long completedMillis,
    TaskFigures tasks) {

  public long wallMillis() {
    return completedMillis - submittedMillis;
  }
}
