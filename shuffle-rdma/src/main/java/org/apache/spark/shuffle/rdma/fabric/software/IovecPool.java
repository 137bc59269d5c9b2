package org.apache.spark.shuffle.rdma.fabric.software;

import java.lang.foreign.Arena;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.function.Function;

/**
 * Areas for direct reads that go on at once. Bounded, since a thousand virtual threads may read;
 * when all are in use, a call allocates its own for as long as it lasts. Any thread.
 */
final class IovecPool {

  /** More than the cores that can copy at once on nearly all machines; 2.2 KiB each. */
  private static final int AREAS = 64;

  private final ArrayBlockingQueue<IovecArea> idle = new ArrayBlockingQueue<>(AREAS);

  /**
   * @param arena a shared one that outlives every use of the pool
   */
  IovecPool(Arena arena) {
    for (int i = 0; i < AREAS; i++) {
      idle.add(new IovecArea(arena));
    }
  }

  <T> T with(Function<IovecArea, T> use) {
    IovecArea area = idle.poll();
    if (area == null) {
      try (Arena own = Arena.ofConfined()) {
        return use.apply(new IovecArea(own));
      }
    }
    try {
      return use.apply(area);
    } finally {
      idle.add(area);
    }
  }
}
