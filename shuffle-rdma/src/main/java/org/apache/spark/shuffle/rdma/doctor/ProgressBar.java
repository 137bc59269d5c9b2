package org.apache.spark.shuffle.rdma.doctor;

import java.io.PrintWriter;

/** A line that is written over again; nothing where the error stream is no terminal. */
final class ProgressBar implements AutoCloseable {

  private static final int WIDTH = 30;
  private static final String ERASE_LINE = "\r\033[K";

  private final PrintWriter out;
  private final boolean terminal;
  private boolean drawn;

  ProgressBar(PrintWriter out) {
    this(out, Boolean.getBoolean("sparkrdma.doctor.terminal"));
  }

  ProgressBar(PrintWriter out, boolean terminal) {
    this.out = out;
    this.terminal = terminal;
  }

  void step(int done, int all, String what) {
    if (terminal) {
      int full = WIDTH * done / all;
      out.print(
          ERASE_LINE
              + "["
              + "#".repeat(full)
              + ".".repeat(WIDTH - full)
              + "] "
              + 100 * done / all
              + "% "
              + what);
      out.flush();
      drawn = true;
    }
  }

  @Override
  public void close() {
    erase();
  }

  /** Leaves an empty line to write on. */
  void erase() {
    if (drawn) {
      out.print(ERASE_LINE);
      out.flush();
      drawn = false;
    }
  }
}
