package org.sparkrdma.it.cluster;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A process whose output goes to a file, and waits on it that end. */
final class LoggedProcess {

  private static final int TAIL_LINES = 30;
  private static final long POLL_MILLIS = 50;

  private final String name;
  private final Process process;
  private final Path log;

  private LoggedProcess(String name, Process process, Path log) {
    this.name = name;
    this.process = process;
    this.log = log;
  }

  /**
   * Starts a process without standard input.
   *
   * @param name what messages call it
   * @param environment set beside this process's own, from which other Spark settings are removed
   */
  static LoggedProcess start(
      String name, List<String> command, Map<String, String> environment, Path directory, Path log)
      throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .redirectInput(new File("/dev/null"))
            .redirectOutput(log.toFile());
    setEnvironment(builder, environment);
    return new LoggedProcess(name, builder.start(), log);
  }

  /** A caller's own Spark and Hadoop settings must not reach a private cluster. */
  static void setEnvironment(ProcessBuilder builder, Map<String, String> environment) {
    Map<String, String> target = builder.environment();
    target
        .keySet()
        .removeIf(
            key ->
                key.startsWith("SPARK_") || key.startsWith("HADOOP_") || key.startsWith("YARN_"));
    target.putAll(environment);
  }

  Path log() {
    return log;
  }

  Process process() {
    return process;
  }

  /**
   * Waits until the log has a match.
   *
   * @return its first group
   * @throws ClusterException if the process ends or the time is over before
   */
  String awaitLine(Pattern pattern, Duration timeout) throws IOException, InterruptedException {
    long deadline = System.nanoTime() + timeout.toNanos();
    while (true) {
      boolean alive = process.isAlive();
      Matcher matcher = pattern.matcher(Files.readString(log, StandardCharsets.UTF_8));
      if (matcher.find()) {
        return matcher.group(1);
      }
      if (!alive) {
        throw failure("ended with exit code " + process.exitValue() + " before it was ready");
      }
      if (System.nanoTime() - deadline > 0) {
        throw failure("wasn't ready within " + timeout.toSeconds() + " s");
      }
      Thread.sleep(POLL_MILLIS);
    }
  }

  /**
   * Waits for the end and gives the exit code.
   *
   * @throws ClusterException if the time is over before
   */
  int awaitExit(Duration timeout) throws ClusterException, InterruptedException {
    if (!process.waitFor(timeout.toMillis(), TimeUnit.MILLISECONDS)) {
      throw failure("didn't end within " + timeout.toSeconds() + " s");
    }
    return process.exitValue();
  }

  /** An error about this process, with its log's name and last lines. */
  ClusterException failure(String what) {
    return new ClusterException(name + " " + what + ". The end of " + log + ":\n" + tail());
  }

  private String tail() {
    try {
      List<String> lines = Files.readAllLines(log, StandardCharsets.UTF_8);
      return String.join("\n", lines.subList(Math.max(0, lines.size() - TAIL_LINES), lines.size()));
    } catch (IOException e) {
      return "(can't be read: " + e.getMessage() + ")";
    }
  }
}
