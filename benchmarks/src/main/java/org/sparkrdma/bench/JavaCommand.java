package org.sparkrdma.bench;

import java.io.File;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** How a process of ours is started: the JVM and class path of this one. */
public final class JavaCommand {

  private JavaCommand() {}

  /**
   * The words up to the subcommand. The heap is small, since page faults are slow in the test
   * kernel.
   */
  public static List<String> of(String subcommand) {
    return List.of(
        java(),
        "-Xmx128m",
        "-XX:+UseSerialGC",
        "--enable-native-access=ALL-UNNAMED",
        "-cp",
        System.getProperty("java.class.path"),
        Bench.class.getName(),
        subcommand);
  }

  /**
   * The same with Spark's jars, which the build put beside the integration tests, and with the JVM
   * options that Spark gives its executors: on these depends how Netty gets at its memory.
   *
   * @param maxHeap as {@code -Xmx} takes it, such as {@code 2g}
   */
  public static List<String> withSpark(String subcommand, String maxHeap) {
    List<String> command = new ArrayList<>();
    command.add(java());
    command.add("-Xmx" + maxHeap);
    command.addAll(sparkOptions());
    command.addAll(
        List.of(
            "-Dsparkrdma.bench.top=" + Results.top(),
            "-Dslf4j.provider=org.slf4j.simple.SimpleServiceProvider",
            "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
            "-cp",
            classPathWithSpark(),
            Bench.class.getName(),
            subcommand));
    return command;
  }

  /** This JVM's class path, and Spark's jars. */
  public static String classPathWithSpark() {
    String mine = System.getProperty("java.class.path");
    return hasSpark(mine) ? mine : mine + File.pathSeparator + jars() + "/*";
  }

  private static boolean hasSpark(String classPath) {
    return classPath.contains("spark-core") || classPath.contains(jars().toString());
  }

  private static Path jars() {
    return Results.top().resolve("integration-tests/target/spark/jars");
  }

  private static String java() {
    return Path.of(System.getProperty("java.home"), "bin", "java").toString();
  }

  private static List<String> sparkOptions() {
    String name = "org.apache.spark.launcher.JavaModuleOptions";
    try (URLClassLoader spark = new URLClassLoader(launcher())) {
      return List.of(
          (String[]) spark.loadClass(name).getMethod("defaultModuleOptionArray").invoke(null));
    } catch (IOException | ReflectiveOperationException e) {
      throw new IllegalStateException("no Spark in " + jars(), e);
    }
  }

  /** Empty where this JVM has it. */
  private static URL[] launcher() throws IOException {
    List<URL> found = new ArrayList<>();
    if (!hasSpark(System.getProperty("java.class.path"))) {
      try (DirectoryStream<Path> files = Files.newDirectoryStream(jars(), "spark-launcher_*.jar")) {
        for (Path file : files) {
          found.add(url(file));
        }
      }
    }
    return found.toArray(URL[]::new);
  }

  private static URL url(Path file) throws MalformedURLException {
    return file.toUri().toURL();
  }
}
