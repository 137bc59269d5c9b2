package org.sparkrdma.it.cluster;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * A folder that serves as SPARK_HOME: of a Spark distribution, only {@code jars/} is needed.
 *
 * @param directory the folder above {@code jars/}
 * @param javaHome the Java that every process of this Spark runs on
 */
public record SparkHome(Path directory, Path javaHome) {

  /** The system property by which the build tells tests where the folder is. */
  public static final String PROPERTY = "sparkrdma.it.sparkHome";

  /** Checks that Spark is there. */
  public SparkHome {
    directory = directory.toAbsolutePath().normalize();
    try (Stream<Path> jars = Files.list(directory.resolve("jars"))) {
      if (jars.noneMatch(jar -> String.valueOf(jar.getFileName()).startsWith("spark-core_"))) {
        throw new IllegalArgumentException("no spark-core jar in " + directory.resolve("jars"));
      }
    } catch (IOException e) {
      throw new IllegalArgumentException(
          directory + " has no readable jars folder; mvn package makes it", e);
    }
  }

  /** On the Java that this process runs on. */
  public SparkHome(Path directory) {
    this(directory, Path.of(System.getProperty("java.home")));
  }

  /** The folder that the build made, by {@link #PROPERTY}. */
  public static SparkHome ofBuild() {
    String directory = System.getProperty(PROPERTY);
    if (directory == null) {
      throw new IllegalStateException(
          "the system property " + PROPERTY + " isn't set; mvn verify sets it for tests");
    }
    return new SparkHome(Path.of(directory));
  }

  /**
   * The command line that Spark's own scripts would run, with all the module options for this Java:
   * it's made by Spark's launcher, as {@code bin/spark-class} does.
   *
   * @param environment what the process will run with; it must have JAVA_HOME and SPARK_HOME
   * @param classAndArguments a main class and its arguments
   */
  List<String> command(Map<String, String> environment, List<String> classAndArguments)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(javaHome.resolve("bin").resolve("java").toString());
    command.addAll(List.of("-Xmx128m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp"));
    command.add(directory.resolve("jars") + "/*");
    command.add("org.apache.spark.launcher.Main");
    command.addAll(classAndArguments);
    ProcessBuilder builder = new ProcessBuilder(command);
    LoggedProcess.setEnvironment(builder, environment);
    Process launcher = builder.redirectErrorStream(true).start();
    launcher.getOutputStream().close();
    String output = new String(launcher.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    int exit = launcher.waitFor();
    // The launcher marks the command's start with a line of its own: a NUL. NULs then end words.
    int start = output.indexOf("\0\n");
    if (exit != 0 || start < 0) {
      throw new ClusterException(
          "Spark's launcher made no command of " + classAndArguments + ":\n" + output.strip());
    }
    return List.of(output.substring(start + 2).split("\0"));
  }
}
