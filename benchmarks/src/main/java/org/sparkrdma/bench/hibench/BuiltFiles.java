package org.sparkrdma.bench.hibench;

import java.nio.file.Path;

/** What the build made. The scripts that start Java name each by a system property. */
public final class BuiltFiles {

  private BuiltFiles() {}

  /** This module's jar, with the built-in workloads. */
  public static Path applicationJar() {
    return path("sparkrdma.bench.applicationJar");
  }

  /** The jar that users add to Spark. */
  public static Path shuffleJar() {
    return path("sparkrdma.it.shuffleJar");
  }

  private static Path path(String property) {
    String value = System.getProperty(property);
    if (value == null) {
      throw new IllegalStateException(
          "the system property "
              + property
              + " isn't set: use ./bench or integration-tests/hibench/run.sh");
    }
    return Path.of(value).toAbsolutePath().normalize();
  }
}
