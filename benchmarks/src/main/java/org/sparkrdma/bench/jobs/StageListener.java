package org.sparkrdma.bench.jobs;

import java.util.Map;
import java.util.TreeMap;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerStageCompleted;
import org.apache.spark.scheduler.SparkListenerStageSubmitted;
import org.apache.spark.scheduler.SparkListenerTaskEnd;

/**
 * Takes the executors' processor time at each stage's start and end. Of stages that overlap, each
 * gets what both used. Spark's listener thread calls it, some milliseconds late; any thread may
 * ask.
 */
final class StageListener extends SparkListener {

  private final ProcessCpu executors;
  private final Map<Integer, Long> started = new TreeMap<>();
  private final Map<Integer, Long> used = new TreeMap<>();
  private long remoteBlocks;

  StageListener(ProcessCpu executors) {
    this.executors = executors;
  }

  @Override
  public synchronized void onStageSubmitted(SparkListenerStageSubmitted event) {
    started.put(event.stageInfo().stageId(), executors.millis());
  }

  @Override
  public synchronized void onStageCompleted(SparkListenerStageCompleted event) {
    int stage = event.stageInfo().stageId();
    Long start = started.remove(stage);
    if (start != null) {
      used.merge(stage, executors.millis() - start, Long::sum);
    }
  }

  @Override
  public synchronized void onTaskEnd(SparkListenerTaskEnd event) {
    // Spark leaves it out for tasks whose executor is lost.
    if (event.taskMetrics() != null) {
      remoteBlocks += event.taskMetrics().shuffleReadMetrics().remoteBlocksFetched();
    }
  }

  /** Blocks from other executors since it was made, by whichever way. */
  synchronized long remoteBlocks() {
    return remoteBlocks;
  }

  /** Milliseconds of each stage that ended since the last call, by its id. */
  synchronized Map<Integer, Long> takeMillis() {
    Map<Integer, Long> taken = new TreeMap<>(used);
    used.clear();
    return taken;
  }
}
