package org.sparkrdma.it.terasort;

import java.util.Map;
import org.apache.spark.SparkEnv;
import org.apache.spark.shuffle.ShuffleManager;

/** The RDMA shuffle's counters, summed over executors. For drivers; any thread. */
public final class ManagerCounters {

  private static final long TIMEOUT_NANOS = 10_000_000_000L;
  private static final long POLL_MILLIS = 10;

  private ManagerCounters() {}

  /** By label; empty with another shuffle manager. */
  public static Map<String, Long> now() {
    ShuffleManager manager = SparkEnv.get().shuffleManager();
    try {
      @SuppressWarnings("unchecked")
      Map<String, Long> counters =
          (Map<String, Long>) manager.getClass().getMethod("counters").invoke(manager);
      return counters;
    } catch (NoSuchMethodException e) {
      return Map.of();
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("can't read the shuffle manager's counters", e);
    }
  }

  /**
   * Waits until the counters have so many blocks, or 10 s. Executors report before each of their
   * tasks ends, but the driver's directory may take the last report in a moment after the job's
   * end.
   *
   * @param remoteBlocks fetched since the application's start, by whichever way
   */
  public static Map<String, Long> await(long remoteBlocks) throws InterruptedException {
    long start = System.nanoTime();
    Map<String, Long> counters = now();
    while (!counters.isEmpty()
        && counters.getOrDefault("read-blocks", 0L) + counters.getOrDefault("tcp-blocks", 0L)
            < remoteBlocks
        && System.nanoTime() - start < TIMEOUT_NANOS) {
      Thread.sleep(POLL_MILLIS);
      counters = now();
    }
    return counters;
  }
}
