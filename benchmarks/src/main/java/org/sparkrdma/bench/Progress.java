package org.sparkrdma.bench;

import java.io.PrintStream;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * Says what is being done. On a terminal the steps share one line; elsewhere each is a line. One
 * thread.
 */
public final class Progress implements AutoCloseable {

  private static final String ERASE_LINE = "\r\033[K";

  private final PrintStream out;
  private final boolean terminal = Boolean.getBoolean("sparkrdma.bench.terminal");
  private final long start = System.nanoTime();

  public Progress(PrintStream out) {
    this.out = out;
  }

  /** Begins a step, which ends the one before. */
  public void step(String description) {
    long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - start);
    String line = String.format(Locale.ROOT, "[%3d s] %s", seconds, description);
    if (terminal) {
      out.print(ERASE_LINE + line);
    } else {
      out.println(line);
    }
    out.flush();
  }

  /** Ends the last step. */
  @Override
  public void close() {
    if (terminal) {
      out.print(ERASE_LINE);
      out.flush();
    }
  }
}
