package org.sparkrdma.it.demo;

import picocli.CommandLine;

/** Where {@code ./demo} comes in. */
public final class Demo {

  private Demo() {}

  public static void main(String[] arguments) {
    System.exit(commandLine().execute(arguments));
  }

  /** Failures of the run are one message, not a stack trace. */
  static CommandLine commandLine() {
    return new CommandLine(new DemoCommand())
        .setExecutionExceptionHandler(
            (failure, command, parsed) -> {
              String message = failure.getMessage();
              command.getErr().println("FAILED: " + (message == null ? failure : message));
              return CommandLine.ExitCode.SOFTWARE;
            });
  }
}
