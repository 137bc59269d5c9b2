package org.sparkrdma.it.verbs;

import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/**
 * Boots the test kernel by {@code integration-tests/test-kernel/run}, whose head says what its
 * arguments are. Where no kernel can be had the test is aborted with the reason, or fails if {@code
 * -Drequire.verbs=true} is given. Without that, none is built: a build takes minutes.
 */
public final class TestKernel {
  /** What {@code run} ends with if there is no kernel. */
  private static final int NO_KERNEL = 3;

  private static final Path FOLDER =
      Path.of(Objects.requireNonNull(System.getProperty("sparkrdma.it.testKernel")));
  private static final Path LOGS =
      Path.of(Objects.requireNonNull(System.getProperty("sparkrdma.it.testKernelLogs")));

  private TestKernel() {}

  /** How a boot ended, and what its programs printed. */
  public record Result(int exitStatus, List<String> lines, Path log) {
    public String lastLine() {
      return lines.isEmpty() ? "" : lines.getLast();
    }

    /** The log's name and all lines, for a message. */
    @Override
    public String toString() {
      return "exit status " + exitStatus + ", " + log + ":\n" + String.join("\n", lines);
    }
  }

  /**
   * Runs to the end.
   *
   * @param name of the log, and of the folder of what {@code run} leaves, in target/test-kernel
   * @param timeout of all that is done, the build of a kernel included
   */
  public static Result run(String name, Duration timeout, List<String> arguments)
      throws IOException, InterruptedException {
    boolean required = Boolean.getBoolean("require.verbs");
    Path log = Files.createDirectories(LOGS).resolve(name + ".log");
    List<String> command = new ArrayList<>();
    command.add(FOLDER.resolve("run").toString());
    command.addAll(List.of("--results", LOGS.resolve(name).toString()));
    if (!required) {
      command.add("--no-kernel-build");
    }
    command.addAll(arguments);
    System.out.println("The test kernel runs; its output: " + log);
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectInput(new File("/dev/null"))
            .redirectOutput(log.toFile())
            .start();
    try {
      if (!process.waitFor(timeout.toMillis(), TimeUnit.MILLISECONDS)) {
        fail("not done after " + timeout.toMinutes() + " minutes: " + log);
      }
    } finally {
      process.descendants().forEach(ProcessHandle::destroy);
      process.destroy();
    }
    Result result = new Result(process.exitValue(), Files.readAllLines(log), log);
    if (result.exitStatus() == NO_KERNEL && !required) {
      abort("no test kernel: " + result.lastLine());
    }
    return result;
  }
}
