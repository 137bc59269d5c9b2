package org.apache.spark.shuffle.rdma;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.apache.spark.SparkContext;
import org.apache.spark.SparkContext$;
import org.apache.spark.SparkEnv;
import org.apache.spark.shuffle.rdma.location.Overview;
import org.apache.spark.shuffle.rdma.ui.RdmaTab;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.Option;

/**
 * Brings the RDMA tab into the application's web UI. The shuffle manager is made before Spark lets
 * anybody find the context that has the UI, and Spark tells a shuffle manager nothing when it does:
 * so a thread looks for it. Where there's no UI, or it fails, the shuffle works all the same.
 */
final class TabAttachment implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(TabAttachment.class);

  private static final long POLL_MILLIS = 100;

  /** A context takes longer than that only if its cluster has no room; then a shuffle attaches. */
  private static final int MAX_POLLS = 6000;

  private final SparkEnv env;
  private final Supplier<Overview> overviews;
  private final AtomicBoolean done = new AtomicBoolean();

  TabAttachment(SparkEnv env, Supplier<Overview> overviews) {
    this.env = env;
    this.overviews = overviews;
  }

  /** Attaches the tab as soon as it can be, without waiting for that. */
  void start() {
    var _ = Thread.ofPlatform().daemon().name("rdma-ui").start(this::poll);
  }

  private void poll() {
    try {
      for (int polls = 0; polls < MAX_POLLS && !done.get(); polls++) {
        tryNow();
        Thread.sleep(POLL_MILLIS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Attaches the tab if it can be and isn't yet. */
  @SuppressWarnings("ReferenceEquality") // A stopped context may be there, whose UI isn't ours.
  void tryNow() {
    if (done.get()) {
      return;
    }
    Option<SparkContext> context = SparkContext$.MODULE$.getActive();
    if (context.isEmpty() || context.get().env() != env || !done.compareAndSet(false, true)) {
      return;
    }
    try {
      context
          .get()
          .ui()
          .foreach(
              ui -> {
                RdmaTab.attach(ui, overviews);
                return null;
              });
    } catch (RuntimeException | LinkageError e) {
      LOG.warn("The web UI has no RDMA tab", e);
    }
  }

  @Override
  public void close() {
    done.set(true);
  }
}
