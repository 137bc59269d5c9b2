package org.sparkrdma.bench;

import org.sparkrdma.bench.all.AllCommand;
import org.sparkrdma.bench.engine.EngineCommand;
import org.sparkrdma.bench.engine.MeasureEngineCommand;
import org.sparkrdma.bench.fetch.FetchCommand;
import org.sparkrdma.bench.fetch.MeasureFetchCommand;
import org.sparkrdma.bench.fetch.ServeFetchCommand;
import org.sparkrdma.bench.jobs.JobsCommand;
import org.sparkrdma.bench.register.MeasureRegisterCommand;
import org.sparkrdma.bench.register.RegisterCommand;
import org.sparkrdma.bench.scale.AskScaleCommand;
import org.sparkrdma.bench.scale.MeasureScaleCommand;
import org.sparkrdma.bench.scale.ScaleCommand;
import org.sparkrdma.bench.wire.MeasureCommand;
import org.sparkrdma.bench.wire.ServeCommand;
import org.sparkrdma.bench.wire.WireCommand;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** Where {@code ./bench} comes in. Exit codes: 0 done, 1 failed, 2 bad arguments. */
@Command(
    name = "bench",
    mixinStandardHelpOptions = true,
    description = "Benchmarks that compare with other programs on the same machine.",
    subcommands = {
      WireCommand.class,
      MeasureCommand.class,
      ServeCommand.class,
      FetchCommand.class,
      MeasureFetchCommand.class,
      ServeFetchCommand.class,
      RegisterCommand.class,
      MeasureRegisterCommand.class,
      EngineCommand.class,
      MeasureEngineCommand.class,
      ScaleCommand.class,
      MeasureScaleCommand.class,
      AskScaleCommand.class,
      JobsCommand.class,
      AllCommand.class
    },
    synopsisSubcommandLabel = "NAME",
    footer = {"", "./bench NAME --help says what one measures, and its options."})
public final class Bench {

  private Bench() {}

  public static void main(String[] arguments) {
    System.exit(commandLine().execute(arguments.length == 0 ? new String[] {"--help"} : arguments));
  }

  /** Errors are one message: not the whole usage, and not a stack trace. */
  static CommandLine commandLine() {
    return new CommandLine(new Bench())
        .setParameterExceptionHandler(
            (error, arguments) -> {
              CommandLine command = error.getCommandLine();
              command.getErr().println("bench: " + error.getMessage());
              command
                  .getErr()
                  .println("Try: ./" + command.getCommandSpec().qualifiedName() + " --help");
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
