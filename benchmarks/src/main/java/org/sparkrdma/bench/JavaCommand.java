package org.sparkrdma.bench;

import java.nio.file.Path;
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
