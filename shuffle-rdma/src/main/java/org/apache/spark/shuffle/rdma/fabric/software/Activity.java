package org.apache.spark.shuffle.rdma.fabric.software;

import java.util.concurrent.TimeUnit;

/** When a connection was last used. Any thread. */
final class Activity {

  private volatile long usedNanos = System.nanoTime();

  /** It's in use now. */
  void used() {
    usedNanos = System.nanoTime();
  }

  boolean isIdleFor(long millis) {
    return System.nanoTime() - usedNanos >= TimeUnit.MILLISECONDS.toNanos(millis);
  }
}
