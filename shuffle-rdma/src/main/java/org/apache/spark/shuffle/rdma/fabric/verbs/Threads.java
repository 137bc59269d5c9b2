package org.apache.spark.shuffle.rdma.fabric.verbs;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Platform threads, since calls into the kernel would hold a virtual thread's carrier. */
final class Threads {

  private static final long KEEP_SECONDS = 5;

  private Threads() {}

  static ThreadFactory named(String name) {
    return Thread.ofPlatform().daemon().name(name).factory();
  }

  /** At most so many threads; more work waits for its turn, up to a limit. */
  static ExecutorService few(int most, int waiting, String name) {
    ThreadPoolExecutor pool =
        new ThreadPoolExecutor(
            most,
            most,
            KEEP_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(waiting),
            named(name));
    pool.allowCoreThreadTimeOut(true);
    return pool;
  }

  static void join(Thread thread) {
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Ends a pool and waits for what it does, interrupted or not; false if that takes longer. */
  static boolean end(ExecutorService pool, long millis) {
    pool.shutdown();
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return pool.awaitTermination(end - System.nanoTime(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
