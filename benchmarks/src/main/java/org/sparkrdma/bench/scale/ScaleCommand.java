package org.sparkrdma.bench.scale;

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

/** The command line of {@code ./bench scale}. */
@Command(
    name = "scale",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "What the driver's directory and an executor's copy of it cost with 1,000 executors, up to "
          + "100,000 map outputs and 10,000 reducers: the real directory, codec and cache under a "
          + "simulated application, beside Spark's MapOutputTracker. No cluster, no device."
    },
    footer = {
      "",
      "The last lines are for programs: RATIO scale.CASE VALUE, and RATIO scale.spark.CASE VALUE.",
      "Exits with 0 when all was measured, aims reached or not; 1 if it failed, 2 on bad arguments."
    })
public final class ScaleCommand implements Callable<Integer> {

  private static final int ROUNDS = 3;
  private static final String MAX_HEAP = "3g";

  @Option(names = "--quick", description = "One round instead of 3.")
  private boolean quick;

  @Override
  public Integer call() throws IOException, InterruptedException {
    MeasuringProcess process = MeasuringProcess.here();
    List<String> command = new ArrayList<>(JavaCommand.withSpark("scale-measure", MAX_HEAP));
    command.addAll(List.of("--rounds", Integer.toString(quick ? 1 : ROUNDS)));
    int status = process.run(command);
    if (status == 0) {
      Results.report(
          new Growth("scale", "outputs or executors", ScaleCases.all(), process.samples()));
    }
    return status;
  }
}
