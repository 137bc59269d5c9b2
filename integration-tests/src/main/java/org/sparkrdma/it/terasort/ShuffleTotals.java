package org.sparkrdma.it.terasort;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.apache.spark.executor.TaskMetrics;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerJobEnd;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.jspecify.annotations.Nullable;

/** Sums what Spark's own task metrics say of the shuffle, until one job's end. */
final class ShuffleTotals extends SparkListener {

  private static final long TIMEOUT_SECONDS = 60;

  final LongAdder bytesWritten = new LongAdder();
  final LongAdder remoteBytes = new LongAdder();
  final LongAdder remoteBlocks = new LongAdder();
  final LongAdder localBlocks = new LongAdder();
  final LongAdder fetchWaitMillis = new LongAdder();
  private final CountDownLatch jobs;

  /**
   * @param jobs how many jobs it waits for
   */
  ShuffleTotals(int jobs) {
    this.jobs = new CountDownLatch(jobs);
  }

  @Override
  public void onTaskEnd(SparkListenerTaskEnd event) {
    // Spark leaves it out for tasks whose executor is lost.
    @Nullable TaskMetrics metrics = event.taskMetrics();
    if (metrics == null) {
      return;
    }
    bytesWritten.add(metrics.shuffleWriteMetrics().bytesWritten());
    remoteBytes.add(metrics.shuffleReadMetrics().remoteBytesRead());
    remoteBlocks.add(metrics.shuffleReadMetrics().remoteBlocksFetched());
    localBlocks.add(metrics.shuffleReadMetrics().localBlocksFetched());
    fetchWaitMillis.add(metrics.shuffleReadMetrics().fetchWaitTime());
  }

  @Override
  public void onJobEnd(SparkListenerJobEnd event) {
    jobs.countDown();
  }

  /** Events come late but in order: after a job's end come no more of its tasks. */
  void await() throws InterruptedException {
    if (!jobs.await(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
      throw new IllegalStateException("no word of the job's end within " + TIMEOUT_SECONDS + " s");
    }
  }
}
