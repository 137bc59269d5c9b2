package org.sparkrdma.bench.engine;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.sparkrdma.bench.Growth;
import org.sparkrdma.bench.JavaCommand;
import org.sparkrdma.bench.MeasuringProcess;
import org.sparkrdma.bench.Results;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command line of {@code ./bench engine}. */
@Command(
    name = "engine",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "What our client path costs for each block, from Spark's call to its listener, with a fabric "
          + "that completes at once: CPU time, and bytes of garbage beyond those that Spark's "
          + "interfaces force. Measured by JMH; no device."
    },
    footer = {
      "",
      "The last lines are for programs: RATIO engine.BLOCKS.ns VALUE and RATIO "
          + "engine.BLOCKS.bytes VALUE, where BLOCKS is how many a request has.",
      "Exits with 0 when all was measured, aims reached or not; 1 if it failed, 2 on bad arguments."
    })
public final class EngineCommand implements Callable<Integer> {

  private static final String MAX_HEAP = "256m";

  @Option(names = "--quick", description = "Fewer and shorter iterations.")
  private boolean quick;

  @Option(
      names = "--profiler",
      description =
          "Of JMH's, as NAME or NAME:OPTIONS, such as stack or jfr:dir=/tmp; runs 64 blocks a "
              + "request alone, and what it says is printed as it comes.")
  private String profiler = "";

  @Override
  public Integer call() throws IOException, InterruptedException {
    MeasuringProcess process = MeasuringProcess.here();
    List<String> command = new ArrayList<>(JavaCommand.withSpark("engine-measure", MAX_HEAP));
    if (quick) {
      command.add("--quick");
    }
    if (!profiler.isEmpty()) {
      command.addAll(List.of("--profiler", profiler));
      return new ProcessBuilder(command).inheritIO().start().waitFor();
    }
    int status = process.run(command);
    if (status == 0) {
      Results.report(
          new Growth("engine", "blocks per request", EngineCases.all(), process.samples()));
    }
    return status;
  }
}
