package org.sparkrdma.bench.all;

import java.io.PrintStream;
import java.util.List;
import java.util.Map;
import org.sparkrdma.bench.MeasuringProcess;
import picocli.CommandLine;

/**
 * One of those that {@code ./bench all} runs, in this process.
 *
 * @param name its subcommand
 * @param arguments that make it short
 */
record Benchmark(String name, List<String> arguments) {

  /** In their order. */
  static final List<Benchmark> ALL =
      List.of(
          new Benchmark("wire", List.of("--quick")),
          new Benchmark("register", List.of("--quick")),
          new Benchmark("fetch", List.of("--quick")),
          new Benchmark("engine", List.of("--quick")),
          new Benchmark("jobs", List.of("--rounds", "4")),
          new Benchmark("scale", List.of("--quick")));

  Benchmark {
    arguments = List.copyOf(arguments);
  }

  /**
   * How it ended.
   *
   * @param ratios what it measured
   * @param problem why it measured nothing; empty if it did
   * @param failed whether that is a failure, rather than something that this machine doesn't have
   */
  record Ending(List<RatioLine> ratios, String problem, boolean failed) {

    Ending {
      ratios = List.copyOf(ratios);
    }
  }

  /**
   * Runs it, with what it prints on this process's streams too.
   *
   * @param commands those that there are, by name
   */
  Ending run(Map<String, CommandLine> commands) {
    CommandLine command = commands.get(name);
    if (command == null) {
      return new Ending(List.of(), "there is no such benchmark in this version", false);
    }
    PrintStream out = System.out;
    PrintStream err = System.err;
    Copying copyOfOut = new Copying(out);
    Copying copyOfErr = new Copying(err);
    int status;
    try (PrintStream newOut = copyOfOut.stream();
        PrintStream newErr = copyOfErr.stream()) {
      System.setOut(newOut);
      System.setErr(newErr);
      status = command.execute(arguments.toArray(new String[0]));
    } finally {
      System.setOut(out);
      System.setErr(err);
    }
    List<RatioLine> ratios =
        copyOfOut.lines().stream().flatMap(line -> RatioLine.parse(line).stream()).toList();
    if (status == CommandLine.ExitCode.OK) {
      return new Ending(ratios, "", false);
    }
    String last =
        copyOfErr.lines().stream().filter(line -> !line.isBlank()).reduce("", (_, line) -> line);
    boolean missing = status == MeasuringProcess.MISSING;
    return new Ending(ratios, missing ? last : "exit status " + status + ": " + last, !missing);
  }
}
