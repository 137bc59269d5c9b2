package org.sparkrdma.it.jobs;

import java.io.IOException;

/** Signals to processes. */
final class Signals {

  private Signals() {}

  /**
   * Sends a signal.
   *
   * @param signal such as KILL
   * @throws IOException if there's no such process
   */
  static void send(String signal, long pid) throws IOException, InterruptedException {
    Process kill = new ProcessBuilder("kill", "-" + signal, Long.toString(pid)).inheritIO().start();
    if (kill.waitFor() != 0) {
      throw new IOException("no " + signal + " for process " + pid);
    }
  }
}
