package org.sparkrdma.bench.all;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.sparkrdma.bench.Results;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** The command line of {@code ./bench all}. */
@Command(
    name = "all",
    mixinStandardHelpOptions = true,
    description = {
      "Every benchmark, one after another and each short: wire, register, fetch, engine, jobs, "
          + "scale. The last table has all figures beside what they should be."
    },
    footer = {
      "",
      "Exits with 0 when all that this machine can measure was measured, aims reached or not; 1 "
          + "if one failed. One that lacks a program or the test kernel is skipped, and why is "
          + "said below the table."
    })
public final class AllCommand implements Callable<Integer> {

  @Spec private CommandSpec spec = CommandSpec.create();

  @Override
  public Integer call() throws IOException {
    Map<String, CommandLine> commands = spec.root().subcommands();
    Map<String, Benchmark.Ending> endings = new LinkedHashMap<>();
    long start = System.nanoTime();
    for (Benchmark benchmark : Benchmark.ALL) {
      System.out.println();
      System.out.println("== ./bench " + benchmark.name());
      long begun = System.nanoTime();
      endings.put(benchmark.name(), benchmark.run(commands));
      System.out.println("== ./bench " + benchmark.name() + " took " + secondsSince(begun) + " s");
    }
    ReachTable table = new ReachTable(endings);
    Path csv = Results.folder().resolve("all.csv");
    Files.write(csv, table.csv());
    System.out.println();
    table.lines().forEach(System.out::println);
    System.out.println();
    System.out.println("figures: " + csv + ", after " + secondsSince(start) + " s");
    boolean failed = endings.values().stream().anyMatch(Benchmark.Ending::failed);
    return failed ? CommandLine.ExitCode.SOFTWARE : CommandLine.ExitCode.OK;
  }

  private static long secondsSince(long nanos) {
    return TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - nanos);
  }
}
