package org.sparkrdma.suites;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.spark.shuffle.rdma.RdmaShuffleManager;

/** Runs a suite by ScalaTest's Runner, in a JVM and a directory of its own. */
final class SuiteRun {

  /** Only guards against hanging. */
  private static final long DEADLINE_MINUTES = 30;

  private final SparkSuite suite;
  private final Path directory;
  private final Path temporary;
  private final Path counters;

  SuiteRun(SparkSuite suite) throws IOException {
    this.suite = suite;
    this.directory = base().resolve(suite.scalaTest.getSimpleName());
    this.temporary = directory.resolve("tmp");
    this.counters = directory.resolve("counters.txt");
    Files.createDirectories(temporary);
    Files.deleteIfExists(counters);
  }

  /** The directory above those of the suites. */
  static Path base() {
    return Path.of(property("directory"));
  }

  /** What ScalaTest prints. The driver's log is in {@code spark.log} beside it. */
  Path output() {
    return directory.resolve("output.txt");
  }

  SuiteResult run() throws IOException, InterruptedException {
    ProcessBuilder builder =
        new ProcessBuilder(command())
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output().toFile());
    setEnvironment(builder.environment());
    long start = System.nanoTime();
    Process process = builder.start();
    process.getOutputStream().close();
    try {
      if (!process.waitFor(DEADLINE_MINUTES, TimeUnit.MINUTES)) {
        throw new IllegalStateException(
            suite + " hasn't ended in " + DEADLINE_MINUTES + " minutes");
      }
    } finally {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
    return new SuiteResult(
        suite,
        Files.readString(output()),
        process.exitValue(),
        CounterFile.sums(counters),
        TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - start));
  }

  private List<String> command() {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of(property("javaOptions").strip().split("\\s+")));
    // As Spark's own build runs its suites.
    command.addAll(List.of("-ea", "-Xmx2g", "-Xss4m"));
    command.add("-cp");
    command.add(property("resources") + File.pathSeparator + System.getProperty("java.class.path"));
    command.add("-Djava.io.tmpdir=" + temporary);
    command.add("-D" + CounterFile.PROPERTY + "=" + counters);
    command.add("-Dspark.testing=1");
    command.add("-Dspark.test.home=" + directory);
    command.add("-Dspark.ui.enabled=false");
    command.add("-Dspark.ui.showConsoleProgress=false");
    command.add("-Dspark.unsafe.exceptionOnMemoryLeak=true");
    command.add("-Dspark.extraListeners=" + CounterFile.class.getName());
    command.add("-Dspark.shuffle.manager=" + RdmaShuffleManager.class.getName());
    // Executors live for seconds, and most of that is their start.
    command.add("-Dspark.executor.extraJavaOptions=-XX:TieredStopAtLevel=1 -XX:+UseSerialGC");
    // Not auto: the table says what happens on a machine without a device.
    command.add("-Dspark.shuffle.rdma.fabric=software");
    command.addAll(suite.javaOptions);
    command.add(SuiteProcess.class.getName());
    // Standard output, with durations, whole stack traces and no colours.
    command.addAll(List.of("-oDFW", "-s", suite.scalaTest.getName()));
    return command;
  }

  /** Executors inherit it from the driver. */
  private static void setEnvironment(Map<String, String> environment) {
    environment.keySet().removeIf(name -> name.startsWith("SPARK_"));
    environment.put("SPARK_TESTING", "1");
    environment.put("SPARK_SCALA_VERSION", "2.13");
    environment.put("SPARK_LOCAL_IP", "127.0.0.1");
    // Else executors have another name for it, and a test compares them.
    environment.put("SPARK_LOCAL_HOSTNAME", "127.0.0.1");
    environment.put("JAVA_HOME", System.getProperty("java.home"));
  }

  private static String property(String name) {
    return System.getProperty("sparkrdma.suites." + name);
  }
}
