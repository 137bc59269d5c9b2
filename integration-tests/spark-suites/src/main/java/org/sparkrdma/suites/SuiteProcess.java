package org.sparkrdma.suites;

import org.scalatest.tools.Runner;

/** The main class of a suite's JVM: ScalaTest's Runner, which ends with the JVM that started it. */
final class SuiteProcess {

  private SuiteProcess() {}

  /** Takes what Runner takes, and exits with 0 if all tests passed. */
  public static void main(String[] arguments) {
    ProcessHandle parent = ProcessHandle.current().parent().orElseThrow();
    var _ = parent.onExit().thenRun(() -> Runtime.getRuntime().halt(1));
    Runner.main(arguments);
  }
}
