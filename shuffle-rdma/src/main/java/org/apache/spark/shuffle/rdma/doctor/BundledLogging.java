package org.apache.spark.shuffle.rdma.doctor;

import java.io.IOException;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;

/**
 * SLF4J for where Spark isn't there to bring it. The fabrics log by SLF4J and must find Spark's in
 * an executor, so the jar can't have it among its classes, where it would get in the way of
 * Spark's. It has it in a folder that no class loader looks into but this one, which loads the
 * whole jar anew with that folder behind it.
 */
final class BundledLogging {

  private static final String FOLDER = "META-INF/doctor/";
  private static final String LEVEL = "org.slf4j.simpleLogger.defaultLogLevel";

  private BundledLogging() {}

  /** Whether the class path has no SLF4J. */
  static boolean isNeeded() {
    try {
      Class.forName("org.slf4j.LoggerFactory", false, BundledLogging.class.getClassLoader());
      return false;
    } catch (ClassNotFoundException e) {
      return true;
    }
  }

  /**
   * The class as loaded anew, with the bundled SLF4J, which logs to the standard error stream; only
   * errors, since the report says the rest.
   *
   * @throws IOException if this isn't the jar that users get, and so has no SLF4J
   */
  static Class<?> load(Class<?> type) throws IOException, ClassNotFoundException {
    URL jar = type.getProtectionDomain().getCodeSource().getLocation();
    if (type.getClassLoader().getResource(FOLDER + "org/slf4j/LoggerFactory.class") == null) {
      throw new IOException(
          "SLF4J is neither on the class path nor within "
              + jar
              + ": run the doctor from spark-rdma-shuffle.jar, or add $SPARK_HOME/jars/*");
    }
    if (System.getProperty(LEVEL) == null) {
      System.setProperty(LEVEL, "error");
    }
    URL folder = URI.create("jar:" + jar + "!/" + FOLDER).toURL();
    // Not closed: its classes are used until the JVM ends.
    URLClassLoader loader =
        new URLClassLoader(
            "rdma-doctor", new URL[] {jar, folder}, ClassLoader.getPlatformClassLoader());
    return Class.forName(type.getName(), true, loader);
  }
}
