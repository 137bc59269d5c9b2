package org.sparkrdma.bench.hibench;

import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** The two that are compared. */
enum Manager {
  /** Spark's sort shuffle over TCP. */
  SORT,
  /** Ours. */
  RDMA;

  private static final String CLASS = "org.apache.spark.shuffle.rdma.RdmaShuffleManager";

  /** In reports and in files' names. */
  String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Who goes first changes from round to round, so that neither always finds warm caches. */
  static List<Manager> turns(int round) {
    return round % 2 == 1 ? List.of(SORT, RDMA) : List.of(RDMA, SORT);
  }

  /** Jars that the application needs for it. */
  List<Path> jars(Path shuffleJar) {
    return this == RDMA ? List.of(shuffleJar) : List.of();
  }

  /**
   * Settings of the shuffle.
   *
   * @param fabric for {@code spark.shuffle.rdma.fabric}
   */
  Map<String, String> conf(String fabric) {
    Map<String, String> conf = new TreeMap<>();
    // Else executors on one host read each other's files from disk, and fetch nothing.
    conf.put("spark.shuffle.readHostLocalDisk", "false");
    if (this == RDMA) {
      conf.put("spark.shuffle.manager", CLASS);
      conf.put("spark.shuffle.rdma.fabric", fabric);
    }
    return conf;
  }

  /** Settings by which Spark writes an event log that can be read. */
  static Map<String, String> eventLogConf(Path folder) {
    return Map.of(
        "spark.eventLog.enabled", "true",
        "spark.eventLog.dir", folder.toUri().toString(),
        "spark.eventLog.compress", "false",
        "spark.eventLog.rolling.enabled", "false",
        "spark.ui.enabled", "false");
  }
}
