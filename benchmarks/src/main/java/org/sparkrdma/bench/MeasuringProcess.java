package org.sparkrdma.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import picocli.CommandLine;

/**
 * Runs a subcommand of ours where the device is, in the test kernel or on this machine, and takes
 * in the lines that it prints: steps, samples, and the device's name. One thread.
 */
public final class MeasuringProcess {

  /** Exit code: a program or the test kernel is missing. */
  public static final int MISSING = 3;

  /** Of the test kernel's device; its own scripts set the same. */
  public static final String TEST_ADDRESS = "10.77.0.1";

  private static final String DEVICE = "DEVICE ";
  private static final String STEP = "STEP ";
  private static final int TAIL_LINES = 20;

  private final String what;
  private final List<String> prefix;
  private final List<Sample> samples = new ArrayList<>();
  private final Deque<String> tail = new ArrayDeque<>();
  private String link;

  private MeasuringProcess(String what, List<String> prefix, String link) {
    this.what = what;
    this.prefix = prefix;
    this.link = link;
  }

  /**
   * In the test kernel.
   *
   * @param driver rxe or siw
   * @param timeoutSeconds for all, boot included
   */
  public static MeasuringProcess inTestKernel(String driver, int timeoutSeconds) {
    Path top = Results.top();
    return new MeasuringProcess(
        "booting the test kernel with " + driver,
        List.of(
            top.resolve("integration-tests/test-kernel/run").toString(),
            "--driver",
            driver,
            "--timeout",
            Integer.toString(timeoutSeconds),
            "--results",
            top.resolve("benchmarks/target/test-kernel").toString(),
            "--",
            // Without the test kernel's options for Java: what is measured has to be compiled well.
            "env",
            "-u",
            "JAVA_TOOL_OPTIONS"),
        driver);
  }

  /** On this machine. */
  public static MeasuringProcess here() {
    return new MeasuringProcess("starting", List.of(), "unknown");
  }

  /** Says that a step begins; for the process itself. */
  public static void sayStep(String description) {
    say(STEP + description);
  }

  /** Says what is measured; for the process itself. */
  public static void sayDevice(String name) {
    say(DEVICE + name);
  }

  /** Hands a sample out; for the process itself. */
  public static void say(Sample sample) {
    say(sample.line());
  }

  private static void say(String line) {
    System.out.println(line);
    System.out.flush();
  }

  /**
   * Runs it to its end.
   *
   * @return 0, or the exit code of a failure, about which all is said
   */
  public int run(String subcommand, List<String> arguments)
      throws IOException, InterruptedException {
    List<String> java = new ArrayList<>(JavaCommand.of(subcommand));
    java.addAll(arguments);
    return run(java);
  }

  /**
   * Runs a command to its end, which prints as a subcommand of ours does.
   *
   * @return 0, or the exit code of a failure, about which all is said
   */
  public int run(List<String> java) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(prefix);
    command.addAll(java);
    int status;
    PrintStream out = System.out;
    try (Progress progress = new Progress(out)) {
      progress.step(what);
      Process process =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
              .start();
      Runtime.getRuntime()
          .addShutdownHook(
              new Thread(
                  () -> {
                    process.descendants().forEach(ProcessHandle::destroy);
                    process.destroy();
                  },
                  "ending"));
      collect(process, progress);
      status = process.waitFor();
    }
    if (status == 0) {
      return 0;
    }
    tail.forEach(System.err::println);
    System.err.println("bench: the measuring process ended with " + status + " (see above)");
    return !prefix.isEmpty() && status == MISSING ? MISSING : CommandLine.ExitCode.SOFTWARE;
  }

  private void collect(Process process, Progress progress) throws IOException {
    try (BufferedReader output = process.inputReader(StandardCharsets.UTF_8)) {
      for (String line = output.readLine(); line != null; line = output.readLine()) {
        String text = line.strip();
        if (text.startsWith(STEP)) {
          progress.step(text.substring(STEP.length()));
        } else if (text.startsWith(DEVICE)) {
          // The test kernel's are called after their drivers.
          link = prefix.isEmpty() ? text.substring(DEVICE.length()) : link;
        } else if (!text.isEmpty()) {
          Sample.parse(text).ifPresentOrElse(samples::add, () -> tail.add(text));
        }
        if (tail.size() > TAIL_LINES) {
          tail.removeFirst();
        }
      }
    }
  }

  /** What was measured: the test kernel's driver, or the device. */
  public String link() {
    return link;
  }

  public List<Sample> samples() {
    return List.copyOf(samples);
  }
}
