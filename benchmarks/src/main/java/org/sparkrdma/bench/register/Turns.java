package org.sparkrdma.bench.register;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.sparkrdma.bench.Comparison;
import org.sparkrdma.bench.MeasuringProcess;
import org.sparkrdma.bench.Sample;

/**
 * Lets two sides measure in turn; who comes first changes from round to round, so that a machine
 * that gets slower or faster meanwhile favours neither.
 */
final class Turns {

  /** Until the JIT compiler has done its work: an executor registers for hours. */
  private static final long WARM_UP_NANOS = TimeUnit.SECONDS.toNanos(5);

  private Turns() {}

  /** Measures once. */
  interface Measurement {
    /** Values by the labels of their cases. */
    Map<String, Double> measure() throws IOException, InterruptedException;
  }

  private record Side(String name, Measurement measurement) {}

  /**
   * Measures in this many rounds, and hands the samples out.
   *
   * @param what for people
   */
  static void take(
      String what, int rounds, Comparison.Sides names, Measurement reference, Measurement measured)
      throws IOException, InterruptedException {
    Side first = new Side(names.reference(), reference);
    Side second = new Side(names.measured(), measured);
    MeasuringProcess.sayStep(what + ": warming up");
    for (long start = System.nanoTime(); System.nanoTime() - start < WARM_UP_NANOS; ) {
      reference.measure();
      measured.measure();
    }
    for (int round = 1; round <= rounds; round++) {
      MeasuringProcess.sayStep(what + ": round " + round);
      for (Side side : round % 2 == 1 ? List.of(first, second) : List.of(second, first)) {
        for (Map.Entry<String, Double> value : side.measurement().measure().entrySet()) {
          MeasuringProcess.say(new Sample(round, value.getKey(), side.name(), value.getValue()));
        }
      }
    }
  }
}
