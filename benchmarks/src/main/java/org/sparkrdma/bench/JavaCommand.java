package org.sparkrdma.bench;

import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** How a process of ours is started: the JVM and class path of this one. */
public final class JavaCommand {

  /** What Spark asks of Java from 17 on, as far as what runs here needs it. */
  private static final List<String> SPARK_OPTIONS =
      Stream.of(
              "java.lang",
              "java.lang.invoke",
              "java.io",
              "java.net",
              "java.nio",
              "java.util",
              "java.util.concurrent",
              "sun.nio.ch")
          .map(name -> "--add-opens=java.base/" + name + "=ALL-UNNAMED")
          .toList();

  private JavaCommand() {}

  /**
   * The same with Spark's jars, which the build put beside the integration tests.
   *
   * @param maxHeap as {@code -Xmx} takes it, such as {@code 2g}
   */
  public static List<String> withSpark(String subcommand, String maxHeap) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-Xmx" + maxHeap);
    command.add("--enable-native-access=ALL-UNNAMED");
    command.add("--sun-misc-unsafe-memory-access=allow");
    command.addAll(SPARK_OPTIONS);
    command.add("-Dsparkrdma.bench.top=" + Results.top());
    command.addAll(List.of("-cp", classPathWithSpark(), Bench.class.getName(), subcommand));
    return command;
  }

  /** This JVM's class path, and Spark's jars. */
  public static String classPathWithSpark() {
    String jars = Results.top().resolve("integration-tests/target/spark/jars") + "/*";
    String mine = System.getProperty("java.class.path");
    return mine.contains("spark-core") || mine.contains(jars)
        ? mine
        : mine + File.pathSeparator + jars;
  }

  /**
   * The words up to the subcommand. The heap is small, since page faults are slow in the test
   * kernel.
   */
  public static List<String> of(String subcommand) {
    return List.of(
        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
        "-Xmx128m",
        "-XX:+UseSerialGC",
        "--enable-native-access=ALL-UNNAMED",
        "-cp",
        System.getProperty("java.class.path"),
        Bench.class.getName(),
        subcommand);
  }
}
