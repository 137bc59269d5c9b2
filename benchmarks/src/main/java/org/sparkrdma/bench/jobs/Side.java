package org.sparkrdma.bench.jobs;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** Those that are compared. */
enum Side {
  /** Spark's sort shuffle, by which executors fetch from each other over TCP. */
  TCP,
  /** Spark's sort shuffle, by which executors of one host read each other's files. */
  DISK,
  /** The RDMA shuffle. */
  OURS;

  private static final String MANAGER = "org.apache.spark.shuffle.rdma.RdmaShuffleManager";

  /** In reports. */
  String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /**
   * Their order in a round: each is first, in the middle and last in turn, and after three rounds
   * the neighbours change too.
   *
   * @param round from 1
   */
  static List<Side> turns(int round) {
    List<Side> turns = new ArrayList<>(Arrays.asList(values()));
    Collections.rotate(turns, 1 - round);
    if ((round - 1) / values().length % 2 == 1) {
      Collections.reverse(turns);
    }
    return turns;
  }

  /** Jars that the application needs for it. */
  List<Path> jars(Path shuffleJar) {
    return this == OURS ? List.of(shuffleJar) : List.of();
  }

  /**
   * Settings of the shuffle.
   *
   * @param fabric for {@code spark.shuffle.rdma.fabric}
   */
  Map<String, String> conf(String fabric) {
    Map<String, String> conf = new TreeMap<>();
    conf.put("spark.shuffle.readHostLocalDisk", Boolean.toString(this == DISK));
    if (this == OURS) {
      conf.put("spark.shuffle.manager", MANAGER);
      conf.put("spark.shuffle.rdma.fabric", fabric);
    }
    return conf;
  }
}
