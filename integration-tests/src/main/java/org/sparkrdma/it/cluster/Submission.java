package org.sparkrdma.it.cluster;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * One run of spark-submit.
 *
 * @param name names the log file; letters, digits and dashes
 * @param mainClass in {@code applicationJar}
 * @param jars given to spark-submit's {@code --jars}
 * @param conf given by {@code --conf}, over {@link StandaloneCluster#DEFAULT_CONF}
 * @param arguments the application's own
 * @param timeout how long it may take from start to end
 */
public record Submission(
    String name,
    String mainClass,
    Path applicationJar,
    List<Path> jars,
    Map<String, String> conf,
    List<String> arguments,
    Duration timeout) {

  public Submission {
    jars = List.copyOf(jars);
    conf = Map.copyOf(conf);
    arguments = List.copyOf(arguments);
  }
}
