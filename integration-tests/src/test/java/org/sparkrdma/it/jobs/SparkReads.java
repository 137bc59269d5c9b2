package org.sparkrdma.it.jobs;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.spark.FetchFailed;
import org.apache.spark.executor.ShuffleReadMetrics;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerTaskEnd;

/** What Spark itself counts of shuffle reads, and of the tasks that it ran. */
final class SparkReads extends SparkListener {

  final AtomicLong remoteBlocks = new AtomicLong();
  final AtomicLong localBlocks = new AtomicLong();
  final AtomicLong remoteBytes = new AtomicLong();
  final AtomicLong bytesToDisk = new AtomicLong();
  final AtomicLong mapTasks = new AtomicLong();
  final AtomicLong speculativeTasks = new AtomicLong();
  final AtomicLong failedTasks = new AtomicLong();
  final AtomicLong fetchFailures = new AtomicLong();
  final List<String> fetchFailureMessages = new CopyOnWriteArrayList<>();

  @Override
  public void onTaskEnd(SparkListenerTaskEnd end) {
    if (end.taskType().equals("ShuffleMapTask")) {
      mapTasks.incrementAndGet();
    }
    if (end.taskInfo().failed()) {
      failedTasks.incrementAndGet();
    }
    if (end.taskInfo().speculative()) {
      speculativeTasks.incrementAndGet();
    }
    if (end.reason() instanceof FetchFailed failed) {
      fetchFailures.incrementAndGet();
      fetchFailureMessages.add(failed.message());
    }
    if (end.taskMetrics() != null) {
      ShuffleReadMetrics metrics = end.taskMetrics().shuffleReadMetrics();
      remoteBlocks.addAndGet(metrics.remoteBlocksFetched());
      localBlocks.addAndGet(metrics.localBlocksFetched());
      remoteBytes.addAndGet(metrics.remoteBytesRead());
      bytesToDisk.addAndGet(metrics.remoteBytesReadToDisk());
    }
  }
}
