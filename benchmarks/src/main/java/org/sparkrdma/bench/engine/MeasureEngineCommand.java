package org.sparkrdma.bench.engine;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;
import org.sparkrdma.bench.Growth;
import org.sparkrdma.bench.MeasuringProcess;
import org.sparkrdma.bench.Sample;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Lets JMH measure, in a JVM for each case, and prints a line for each sample. */
@Command(name = "engine-measure", hidden = true)
public final class MeasureEngineCommand implements Callable<Integer> {

  @Option(names = "--quick")
  private boolean quick;

  @Option(names = "--profiler")
  private String profiler = "";

  @Override
  public Integer call() throws RunnerException {
    if (!profiler.isEmpty()) {
      String[] nameAndOptions = profiler.split(":", 2);
      String its = nameAndOptions.length > 1 ? nameAndOptions[1] : "";
      new Runner(
              options("fetch", 64)
                  .verbosity(VerboseMode.NORMAL)
                  .addProfiler(nameAndOptions[0], its)
                  .build())
          .run();
      return 0;
    }
    for (int blocks : EngineCases.BLOCKS) {
      MeasuringProcess.sayStep(blocks + " blocks per request");
      List<Values> forced = measure("forced", blocks);
      List<Values> ours = measure("fetch", blocks);
      for (int i = 0; i < ours.size(); i++) {
        say(i, EngineCases.nanos(blocks), Growth.OURS, ours.get(i).nanos());
        say(i, EngineCases.nanos(blocks), EngineCases.FORCED, forced.get(i).nanos());
        double beyond = ours.get(i).bytes() - forced.get(i).bytes();
        say(i, EngineCases.bytes(blocks), Growth.OURS, beyond);
        say(i, EngineCases.bytes(blocks), EngineCases.FORCED, forced.get(i).bytes());
      }
    }
    return 0;
  }

  private static void say(int iteration, String label, String side, double value) {
    MeasuringProcess.say(new Sample(iteration + 1, label, side, value));
  }

  /** Of one block. */
  private record Values(double nanos, double bytes) {}

  private List<Values> measure(String benchmark, int blocks) throws RunnerException {
    Collection<RunResult> results =
        new Runner(
                options(benchmark, blocks)
                    .verbosity(VerboseMode.SILENT)
                    .addProfiler(GCProfiler.class)
                    .build())
            .run();
    List<Values> values = new ArrayList<>();
    for (RunResult result : results) {
      result
          .getBenchmarkResults()
          .forEach(fork -> fork.getIterationResults().forEach(one -> values.add(values(one))));
    }
    if (values.isEmpty()) {
      throw new RunnerException("JMH measured nothing of " + benchmark + " (see above)");
    }
    return values;
  }

  private static Values values(IterationResult iteration) {
    Map<String, Double> scores = new HashMap<>();
    iteration.getSecondaryResults().forEach((name, second) -> scores.put(name, second.getScore()));
    double operations = score(scores, "operations");
    return new Values(
        score(scores, "cpuNanos") / operations / EngineBenchmark.BLOCKS,
        score(scores, "gc.alloc.rate.norm") / EngineBenchmark.BLOCKS);
  }

  private static double score(Map<String, Double> scores, String name) {
    Double score = scores.get(name);
    if (score == null) {
      throw new IllegalStateException("JMH has no " + name + " among " + scores.keySet());
    }
    return score;
  }

  private ChainedOptionsBuilder options(String benchmark, int blocks) {
    ChainedOptionsBuilder options =
        new OptionsBuilder()
            .include(EngineBenchmark.class.getName() + "." + benchmark + "$")
            .param("blocks", Integer.toString(blocks))
            .shouldFailOnError(true);
    return quick
        ? options
            .warmupIterations(2)
            .measurementIterations(3)
            .warmupTime(TimeValue.seconds(1))
            .measurementTime(TimeValue.seconds(1))
        : options;
  }
}
