package org.sparkrdma.bench.hibench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * A copy of HiBench's conf folder for one run, with one more file. HiBench reads all files in the
 * order of their names, and the last line for a key counts: the file's name is the last. The user's
 * own folder stays as it is.
 */
final class HiBenchConf {

  static final String ADDED_FILE = "zz-spark-rdma.conf";

  private HiBenchConf() {}

  /**
   * Writes the copy into {@code runFolder/conf}.
   *
   * @return that folder
   */
  static Path write(HiBenchHome home, Manager manager, String scale, String fabric, Path runFolder)
      throws IOException {
    Path conf = Files.createDirectories(runFolder.resolve("conf"));
    for (Path file : home.confFiles()) {
      Files.copy(file, conf.resolve(home.conf().relativize(file)));
    }
    Map<String, String> added = new TreeMap<>(manager.conf(fabric));
    added.putAll(Manager.eventLogConf(Files.createDirectories(runFolder.resolve("event-logs"))));
    added.put("hibench.scale.profile", scale);
    added.put("hibench.report.dir", runFolder.resolve("report").toString());
    added.put("hibench.spark.home", home.sparkHome().toString());
    if (manager == Manager.RDMA) {
      added.put("spark.jars", joined(home, "spark.jars", jars()));
      added.put(
          "spark.extraListeners",
          joined(home, "spark.extraListeners", List.of(CountersListener.class.getName())));
      added.put(CountersListener.FILE, countersFile(runFolder).toString());
    }
    List<String> lines = new ArrayList<>();
    added.forEach((key, value) -> lines.add(key + "\t" + value));
    Files.createDirectories(runFolder.resolve("report"));
    Files.write(conf.resolve(ADDED_FILE), lines);
    return conf;
  }

  static Path countersFile(Path runFolder) {
    return runFolder.resolve("counters.properties");
  }

  private static List<String> jars() {
    return Stream.of(BuiltFiles.shuffleJar(), BuiltFiles.applicationJar())
        .map(jar -> jar.toUri().toString())
        .toList();
  }

  /** What the user has set stays, in front. */
  private static String joined(HiBenchHome home, String key, List<String> ours) throws IOException {
    List<String> all = new ArrayList<>();
    home.setting(key).ifPresent(all::add);
    all.addAll(ours);
    return String.join(",", all);
  }
}
