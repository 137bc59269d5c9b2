package org.apache.spark.shuffle.rdma.doctor.path;

import java.io.IOException;
import java.nio.channels.Channel;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Closes a connection whose other side takes too long. One thread uses it; another closes. */
final class Deadline implements AutoCloseable {

  private static final ScheduledExecutorService TIMER =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("rdma-doctor-deadlines").factory());

  private final Channel channel;
  private @Nullable Future<?> end;

  Deadline(Channel channel) {
    this.channel = channel;
  }

  /** The next step has so long; the one before has come to its end. */
  void within(long seconds) {
    close();
    end = TIMER.schedule(() -> closeQuietly(channel), seconds, TimeUnit.SECONDS);
  }

  static void closeQuietly(Channel channel) {
    try {
      channel.close();
    } catch (IOException e) {
      // It's closed all the same.
    }
  }

  /** No deadline any more. */
  @Override
  public void close() {
    if (end != null) {
      end.cancel(false);
    }
  }
}
