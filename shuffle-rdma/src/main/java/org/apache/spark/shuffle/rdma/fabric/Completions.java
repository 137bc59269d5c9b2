package org.apache.spark.shuffle.rdma.fabric;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** For implementations of {@link Connection}: how they run completions. */
public final class Completions {

  private static final Logger LOG = LoggerFactory.getLogger(Completions.class);

  private Completions() {}

  /** Runs a completion; what it throws is logged and goes no further. */
  public static void run(Connection.Completion completion, @Nullable FabricException failure) {
    try {
      completion.complete(failure);
    } catch (Throwable e) {
      // It has been told, and must not end the thread that other lists depend on.
      LOG.error("A read completion threw", e);
    }
  }
}
