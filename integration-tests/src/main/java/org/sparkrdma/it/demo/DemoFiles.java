package org.sparkrdma.it.demo;

import java.nio.file.Path;
import org.sparkrdma.it.cluster.SparkHome;

/**
 * What the build made for the demo. The script {@code ./demo} names each by a system property.
 *
 * @param sparkHome the folder with Spark's jars
 * @param workloadsJar this module's jar
 * @param shuffleJar the jar that users add to Spark
 */
record DemoFiles(SparkHome sparkHome, Path workloadsJar, Path shuffleJar) {

  static DemoFiles ofProperties() {
    return new DemoFiles(
        SparkHome.ofBuild(), path("sparkrdma.it.workloadsJar"), path("sparkrdma.it.shuffleJar"));
  }

  private static Path path(String property) {
    String value = System.getProperty(property);
    if (value == null) {
      throw new IllegalStateException("the system property " + property + " isn't set");
    }
    return Path.of(value).toAbsolutePath().normalize();
  }
}
