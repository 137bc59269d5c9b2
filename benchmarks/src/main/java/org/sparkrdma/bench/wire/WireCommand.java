package org.sparkrdma.bench.wire;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.sparkrdma.bench.Progress;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command line of {@code ./bench wire}. */
@Command(
    name = "wire",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Reads by the Java verbs library and by perftest's ib_read_bw and ib_read_lat, in turn on "
          + "the same device: one queue pair, the same size and number of outstanding reads, "
          + "sleeping until completion events. Without --address it boots the test kernel, which "
          + "has soft RDMA devices."
    },
    footer = {
      "",
      "Ratios are ours / perftest: bandwidth should be at least 0.95 of perftest's at 1 MiB and "
          + "0.90 at 64 KiB, latency at most 1.25 times perftest's. Each is the median over the "
          + "rounds, with the least and the most beside it.",
      "The last lines are for programs: RATIO wire.DRIVER.CASE VALUE.",
      "Exits with 0 when all was measured, aims reached or not; 1 if it failed, 2 on bad "
          + "arguments, 3 if a program or the test kernel is missing."
    })
public final class WireCommand implements Callable<Integer> {

  private static final int MAX_ROUNDS = 100;
  private static final int MAX_OUTSTANDING = 128;
  private static final int QUICK_ROUNDS = 3;
  private static final int DEFAULT_ROUNDS = 9;
  private static final int SECONDS_PER_ROUND = 240;
  private static final int TAIL_LINES = 20;
  private static final int MISSING = 3;
  private static final List<String> DRIVERS = List.of("rxe", "siw");

  /** Of the test kernel; its own scripts set the same. */
  private static final String TEST_ADDRESS = "10.77.0.1";

  @Option(
      names = "--driver",
      defaultValue = "rxe",
      description = "Of the test kernel: rxe (RoCE v2) or siw (iWARP) (default: ${DEFAULT-VALUE}).")
  private String driver = "rxe";

  @Option(
      names = "--address",
      description =
          "IP address of a real RDMA device of this machine, which is then measured; no kernel is "
              + "booted.")
  private @Nullable String address;

  @Option(
      names = "--rounds",
      description = "How often each case is measured by each, in turn (default: 9; --quick: 3).")
  private @Nullable Integer rounds;

  @Option(
      names = "--outstanding",
      defaultValue = "16",
      description = "Reads on the wire at a time, perftest's -o (default: ${DEFAULT-VALUE}).")
  private int outstanding;

  @Option(names = "--quick", description = "Fewer rounds, of fewer reads.")
  private boolean quick;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Override
  public Integer call() throws IOException, InterruptedException {
    int wanted = rounds != null ? rounds : quick ? QUICK_ROUNDS : DEFAULT_ROUNDS;
    check("--rounds", wanted, MAX_ROUNDS);
    check("--outstanding", outstanding, MAX_OUTSTANDING);
    if (!DRIVERS.contains(driver)) {
      throw new ParameterException(
          spec.commandLine(), "--driver must be rxe or siw, not " + driver);
    }
    List<String> missing = Perftest.missing();
    if (!missing.isEmpty()) {
      System.err.println(
          "bench: PATH has no "
              + String.join(", ", missing)
              + ". Install perftest (Debian and Ubuntu: apt-get install perftest; Fedora: dnf "
              + "install perftest); nice and stdbuf are of coreutils.");
      return MISSING;
    }
    Deque<String> tail = new ArrayDeque<>();
    List<Sample> samples = new ArrayList<>();
    String link;
    int status;
    PrintStream out = System.out;
    try (Progress progress = new Progress(out)) {
      Process process = start(wanted, progress);
      link = collect(process, samples, tail, progress);
      status = process.waitFor();
    }
    if (status != 0) {
      tail.forEach(System.err::println);
      System.err.println("bench: the measuring process ended with " + status + " (see above)");
      return address == null && status == MISSING ? MISSING : CommandLine.ExitCode.SOFTWARE;
    }
    report(new WireResult(link, samples));
    return 0;
  }

  private void check(String name, int value, int most) {
    if (value < 1 || value > most) {
      throw new ParameterException(
          spec.commandLine(), name + " must be 1 to " + most + ", not " + value);
    }
  }

  private Process start(int wanted, Progress progress) throws IOException {
    List<String> command = new ArrayList<>();
    if (address == null) {
      progress.step("booting the test kernel with " + driver);
      Path top = path("sparkrdma.bench.top");
      command.add(top.resolve("integration-tests/test-kernel/run").toString());
      command.addAll(List.of("--driver", driver));
      command.addAll(List.of("--timeout", Integer.toString((wanted + 1) * SECONDS_PER_ROUND)));
      command.addAll(List.of("--results", top.resolve("benchmarks/target/test-kernel").toString()));
      // Without the test kernel's options for Java: what is measured has to be compiled well.
      command.addAll(List.of("--", "env", "-u", "JAVA_TOOL_OPTIONS"));
    }
    command.addAll(JavaCommand.of("wire-measure"));
    command.addAll(List.of("--address", address == null ? TEST_ADDRESS : address));
    command.addAll(List.of("--rounds", Integer.toString(wanted)));
    command.addAll(List.of("--outstanding", Integer.toString(outstanding)));
    if (quick) {
      command.add("--quick");
    }
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
            .start();
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(() -> process.descendants().forEach(ProcessHandle::destroy), "ending"));
    return process;
  }

  /** Takes in all lines; returns the name of the link. */
  private String collect(
      Process process, List<Sample> samples, Deque<String> tail, Progress progress)
      throws IOException {
    String link = driver;
    try (BufferedReader output = process.inputReader(StandardCharsets.UTF_8)) {
      for (String line = output.readLine(); line != null; line = output.readLine()) {
        String text = line.strip();
        if (text.startsWith(MeasureCommand.STEP)) {
          progress.step(text.substring(MeasureCommand.STEP.length()));
        } else if (text.startsWith(MeasureCommand.DEVICE) && address != null) {
          link = text.substring(MeasureCommand.DEVICE.length());
        } else if (!text.isEmpty()) {
          Sample.parse(text).ifPresentOrElse(samples::add, () -> tail.add(text));
        }
        if (tail.size() > TAIL_LINES) {
          tail.removeFirst();
        }
      }
    }
    return link;
  }

  private static void report(WireResult result) throws IOException {
    Path folder = path("sparkrdma.bench.top").resolve("benchmarks/results");
    Files.createDirectories(folder);
    Path csv = folder.resolve("wire-" + result.link() + ".csv");
    Files.writeString(csv, result.csv());
    PrintStream out = System.out;
    out.println();
    out.print(result.table());
    out.println();
    out.println("samples: " + csv);
    Path chart = folder.resolve("wire-" + result.link() + ".png");
    try {
      WireChart.write(result, chart);
      out.println("chart:   " + chart);
    } catch (IOException | UncheckedIOException | UnsatisfiedLinkError e) {
      out.println("chart:   none (" + e + "); Java needs fontconfig and libfreetype to draw");
    }
    out.println();
    result.ratioLines().forEach(out::println);
    out.flush();
  }

  private static Path path(String property) {
    String value = System.getProperty(property);
    if (value == null) {
      throw new IllegalStateException(
          "the system property " + property + " isn't set: use ./bench");
    }
    return Path.of(value);
  }
}
