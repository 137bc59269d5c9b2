package org.sparkrdma.bench.scale;

import java.util.concurrent.Callable;
import org.sparkrdma.bench.Growth;
import org.sparkrdma.bench.MeasuringProcess;
import org.sparkrdma.bench.Sample;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Measures as the driver of the simulated application, and prints a line for each sample. */
@Command(name = "scale-measure", hidden = true)
public final class MeasureScaleCommand implements Callable<Integer> {

  /** Takes in figures. */
  interface Figures {
    void add(String caseLabel, double value);
  }

  @Option(names = "--rounds", required = true)
  private int rounds;

  @Override
  public Integer call() throws Exception {
    MeasuringProcess.sayStep("warming up");
    for (int outputs : ScaleCases.OUTPUTS) {
      new DirectoryFigures(outputs).measure((label, value) -> {});
      RpcFigures.measure(outputs, (label, value) -> {});
    }
    for (int round = 1; round <= rounds; round++) {
      for (int outputs : ScaleCases.OUTPUTS) {
        MeasuringProcess.sayStep("round " + round + ", " + outputs + " outputs");
        new DirectoryFigures(outputs).measure(figures(round, Growth.OURS));
        RpcFigures.measure(outputs, figures(round, Growth.OURS));
      }
      for (int executors : ScaleCases.PEERS) {
        MeasuringProcess.sayStep("round " + round + ", " + executors + " executors");
        ExecutorFigures.measure(executors, figures(round, Growth.OURS));
      }
    }
    try (TrackerFigures tracker = new TrackerFigures()) {
      for (int round = 1; round <= rounds; round++) {
        for (int outputs : ScaleCases.OUTPUTS) {
          MeasuringProcess.sayStep("round " + round + ", Spark's tracker, " + outputs + " outputs");
          tracker.measure(outputs, figures(round, ScaleCases.SPARK));
        }
      }
    }
    return 0;
  }

  private static Figures figures(int round, String side) {
    return (label, value) -> MeasuringProcess.say(new Sample(round, label, side, value));
  }
}
