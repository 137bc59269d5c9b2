package org.sparkrdma.bench.wire;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import org.sparkrdma.bench.MeasuringProcess;
import org.sparkrdma.bench.Sample;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Measures where the device is, and prints a line for each step and each sample. A round is each
 * case by both tools; who comes first changes from round to round, so that a machine that gets
 * slower or faster meanwhile favours neither.
 */
@Command(name = "wire-measure", hidden = true)
public final class MeasureCommand implements Callable<Integer> {

  /** Until the JIT compiler has done its work on our loop: a shuffle's reads run for hours. */
  private static final int WARM_UP_ROUNDS = 2;

  private static final int MAX_TRIES = 3;

  @Option(names = "--address", required = true)
  private String address = "";

  @Option(names = "--rounds", required = true)
  private int rounds;

  @Option(names = "--outstanding", required = true)
  private int outstanding;

  @Option(names = "--quick")
  private boolean quick;

  @Override
  public Integer call() throws IOException, InterruptedException {
    try (ServeCommand.Running server = ServeCommand.start(address, outstanding);
        ReadClient ours = new ReadClient(server.address(), outstanding)) {
      ReadClient.Link link = ours.link();
      MeasuringProcess.sayDevice(link.device());
      Perftest perftest = new Perftest(address, outstanding, link.device(), link.iwarp());
      for (WireCase wireCase : WireCase.values()) {
        MeasuringProcess.sayStep("warming up the JVM: " + wireCase.label());
        measure(ours, wireCase, WARM_UP_ROUNDS * wireCase.reads(false));
      }
      for (int round = 1; round <= rounds; round++) {
        List<Tool> order =
            round % 2 == 1 ? List.of(Tool.PERFTEST, Tool.OURS) : List.of(Tool.OURS, Tool.PERFTEST);
        for (WireCase wireCase : WireCase.values()) {
          int reads = wireCase.reads(quick);
          for (Tool tool : order) {
            MeasuringProcess.sayStep(
                "round " + round + ": " + wireCase.label() + " by " + tool.label());
            double value =
                tool == Tool.OURS
                    ? measure(ours, wireCase, reads)
                    : perftest.measure(wireCase, reads);
            MeasuringProcess.say(new Sample(round, wireCase.label(), tool.label(), value));
          }
        }
      }
    }
    return 0;
  }

  /** A read that doesn't complete is said, and the measurement is tried again, as perftest's. */
  private static double measure(ReadClient ours, WireCase wireCase, int reads) {
    for (int attempt = 1; ; attempt++) {
      try {
        return ours.measure(wireCase, reads);
      } catch (ReadLoop.StalledException e) {
        MeasuringProcess.sayStep("again, since ours failed: " + e.getMessage());
        if (attempt == MAX_TRIES) {
          throw e;
        }
      }
    }
  }
}
