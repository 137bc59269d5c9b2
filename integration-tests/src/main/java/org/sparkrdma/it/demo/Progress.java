package org.sparkrdma.it.demo;

import java.io.PrintStream;
import java.util.Locale;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Says what is being done and for how long. On a terminal a running step's line counts seconds;
 * elsewhere each step is one line, so that logs stay short.
 */
final class Progress implements AutoCloseable {

  private final PrintStream out;
  private final boolean terminal;
  private final long start = System.nanoTime();
  private final ScheduledExecutorService ticker;
  private @Nullable String step;
  private long stepStart;

  Progress(PrintStream out, boolean terminal) {
    this.out = out;
    this.terminal = terminal;
    this.ticker =
        Executors.newSingleThreadScheduledExecutor(Thread.ofPlatform().daemon().factory());
    if (terminal) {
      var _ = ticker.scheduleAtFixedRate(this::tick, 1, 1, TimeUnit.SECONDS);
    }
  }

  /** Begins a step, which ends the one before. */
  synchronized void step(String description) {
    endStep();
    step = description;
    stepStart = System.nanoTime();
    if (terminal) {
      tick();
    } else {
      out.println(line(description));
      out.flush();
    }
  }

  private synchronized void tick() {
    if (step != null) {
      out.print("\r" + line(step) + " (" + seconds(stepStart) + " s)");
      out.flush();
    }
  }

  private synchronized void endStep() {
    if (terminal && step != null) {
      tick();
      out.println();
    }
    step = null;
  }

  private String line(String description) {
    return String.format(Locale.ROOT, "[%3d s] %s", seconds(start), description);
  }

  private static long seconds(long since) {
    return TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - since);
  }

  /** Ends the last step. */
  @Override
  public void close() {
    ticker.shutdownNow();
    endStep();
  }
}
