package org.sparkrdma.bench.eventlog;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * An application's event log. Spark writes it with {@code spark.eventLog.enabled}; this reads what
 * {@code spark.eventLog.compress=false} leaves readable.
 *
 * @param applicationId Spark's, under which the log's file is named
 * @param applicationName {@code spark.app.name}
 * @param startMillis since the epoch
 * @param endMillis since the epoch; the last event's time if the application was cut off
 * @param stages attempts, in the order of their submission; skipped stages aren't among them
 */
public record EventLog(
    String applicationId,
    String applicationName,
    long startMillis,
    long endMillis,
    List<StageFigures> stages) {

  public EventLog {
    stages = List.copyOf(stages);
  }

  /**
   * Reads one application's log: a file, or the folder of a rolling log.
   *
   * @throws IOException if it isn't there, is compressed or isn't an event log; the message names
   *     it
   */
  public static EventLog read(Path log) throws IOException {
    return new EventLogReader().read(log);
  }

  /** The stages of one job group. */
  public List<StageFigures> stages(String group) {
    return stages.stream().filter(stage -> stage.group().equals(group)).toList();
  }

  /** All that tasks did. */
  public TaskFigures total() {
    return TaskFigures.of(stages);
  }

  /** What tasks of one job group did. */
  public TaskFigures total(String group) {
    return TaskFigures.of(stages(group));
  }

  /** From the application's start to its end. */
  public long wallMillis() {
    return endMillis - startMillis;
  }
}
