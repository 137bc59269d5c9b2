package org.sparkrdma.it.jobs;

import java.io.IOException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.JavaFutureAction;

/**
 * Keeps an executor's only core busy, so that whatever runs meanwhile runs on the others: they read
 * from it, and it reads nothing. Closing lets it go.
 */
final class OccupiedExecutor implements AutoCloseable {

  private static final long DEADLINE_SECONDS = 300;

  private final FileLatch latch;
  private final JavaFutureAction<Void> job;

  /**
   * Returns when the executor is busy.
   *
   * @param latch a fresh one
   */
  OccupiedExecutor(TestApplication application, String executorId, FileLatch latch)
      throws InterruptedException {
    this.latch = latch;
    job =
        application
            .context
            .parallelize(IntStream.range(0, 16).boxed().toList(), 16)
            .foreachAsync(
                i -> {
                  if (SparkEnv.get().executorId().equals(executorId)) {
                    latch.arrive("busy");
                  } else {
                    Thread.sleep(20);
                  }
                });
    latch.await("busy");
  }

  @Override
  public void close() throws IOException {
    latch.open();
    try {
      job.get(DEADLINE_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      throw new IOException("the executor is still busy", e);
    }
  }
}
