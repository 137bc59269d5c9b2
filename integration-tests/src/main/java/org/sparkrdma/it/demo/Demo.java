package org.sparkrdma.it.demo;

import picocli.CommandLine;

/** Where {@code ./demo} comes in. */
public final class Demo {

  private Demo() {}

  public static void main(String[] arguments) {
    System.exit(commandLine().execute(arguments));
  }

  /** Errors are one message: not the whole usage, and not a stack trace. */
  static CommandLine commandLine() {
    return new CommandLine(new DemoCommand())
        .setParameterExceptionHandler(
            (error, arguments) -> {
              error.getCommandLine().getErr().println("demo: " + error.getMessage());
              error.getCommandLine().getErr().println("Try: ./demo --help");
              return CommandLine.ExitCode.USAGE;
            })
        .setExecutionExceptionHandler(
            (failure, command, parsed) -> {
              String message = failure.getMessage();
              command.getErr().println("FAILED: " + (message == null ? failure : message));
              return CommandLine.ExitCode.SOFTWARE;
            });
  }
}
