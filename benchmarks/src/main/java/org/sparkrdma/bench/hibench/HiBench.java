package org.sparkrdma.bench.hibench;

import picocli.CommandLine;

/** Where {@code integration-tests/hibench/run.sh} comes in. */
public final class HiBench {

  /** What picocli doesn't have: something that has to be installed or made first is missing. */
  static final int EXIT_MISSING = 3;

  private HiBench() {}

  public static void main(String[] arguments) {
    System.exit(commandLine().execute(arguments));
  }

  /** Errors are one message: not the whole usage, and not a stack trace. */
  static CommandLine commandLine() {
    return new CommandLine(new RunCommand())
        .setParameterExceptionHandler(
            (error, arguments) -> {
              error.getCommandLine().getErr().println("run.sh: " + error.getMessage());
              error.getCommandLine().getErr().println("Try: run.sh --help");
              return CommandLine.ExitCode.USAGE;
            })
        .setExecutionExceptionHandler(
            (failure, command, parsed) -> {
              String message = failure.getMessage();
              if (failure instanceof MissingException) {
                command.getErr().println("run.sh: can't start:\n" + message);
                return EXIT_MISSING;
              }
              command.getErr().println("FAILED: " + (message == null ? failure : message));
              return CommandLine.ExitCode.SOFTWARE;
            });
  }
}
