package org.apache.spark.shuffle.rdma.fabric.software;

import java.io.IOException;
import java.nio.channels.Channel;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Closes channels whose time is over, which wakes whoever waits on them, and looks after idle ones.
 * One daemon thread; cancel the returned future when the channel made it in time.
 */
final class Deadlines implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(Deadlines.class);

  private final ScheduledThreadPoolExecutor timer;

  Deadlines(String owner) {
    timer =
        new ScheduledThreadPoolExecutor(
            1,
            body ->
                Thread.ofPlatform().daemon().name("rdma-software-timer-" + owner).unstarted(body));
    timer.setRemoveOnCancelPolicy(true);
  }

  Future<?> closeAfter(Channel channel, long millis) {
    try {
      return timer.schedule(() -> closeQuietly(channel), millis, TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException e) {
      // The fabric is closing, so every deadline is over.
      closeQuietly(channel);
      return CompletableFuture.completedFuture(null);
    }
  }

  /** Runs it again and again until this is closed. */
  void every(long millis, Runnable body) {
    var _ = timer.scheduleWithFixedDelay(body, millis, millis, TimeUnit.MILLISECONDS);
  }

  static void closeQuietly(Channel channel) {
    try {
      channel.close();
    } catch (IOException e) {
      // The descriptor is gone either way; what was sent or not, the peer finds out by itself.
      LOG.debug("Closing {} failed", channel, e);
    }
  }

  @Override
  public void close() {
    timer.shutdownNow();
    boolean interrupted = false;
    try {
      while (!timer.awaitTermination(5, TimeUnit.SECONDS)) {
        LOG.error("The timer of the software fabric didn't stop within 5 s");
        return;
      }
    } catch (InterruptedException e) {
      interrupted = true;
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
