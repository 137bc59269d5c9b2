package org.apache.spark.shuffle.rdma.fabric.verbs;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.SynchronousQueue;
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

  /** At most so many threads; more work waits for its turn. */
  static ExecutorService few(int most, String name) {
    ThreadPoolExecutor pool =
        new ThreadPoolExecutor(
            most, most, KEEP_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), named(name));
    pool.allowCoreThreadTimeOut(true);
    return pool;
  }

  /** As many threads as there is work, for work whose amount has a limit elsewhere. */
  static ExecutorService many(String name) {
    return new ThreadPoolExecutor(
        0,
        Integer.MAX_VALUE,
        KEEP_SECONDS,
        TimeUnit.SECONDS,
        new SynchronousQueue<>(),
        named(name));
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

  /** Ends a pool and waits for what it does; false if that takes longer. */
  static boolean end(ExecutorService pool, long millis) {
    pool.shutdown();
    try {
      return pool.awaitTermination(millis, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
