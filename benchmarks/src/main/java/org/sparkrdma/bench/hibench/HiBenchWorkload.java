package org.sparkrdma.bench.hibench;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/** HiBench's workloads that shuffle: where its scripts are, and what of them can be compared. */
enum HiBenchWorkload {
  TERASORT("micro/terasort", "", Output.RECORDS, 0),
  SORT("micro/sort", "", Output.TEXT, 0),
  WORDCOUNT("micro/wordcount", "", Output.TEXT, 0),
  REPARTITION("micro/repartition", "", Output.TEXT, 0),
  PAGERANK("websearch/pagerank", "/edges", Output.TEXT, 1e-9),
  JOIN("sql/join", "/uservisits", Output.TEXT, 1e-9),
  AGGREGATION("sql/aggregation", "/uservisits", Output.TEXT, 1e-9),
  BAYES("ml/bayes", ".parquet", "Test set accuracy = (\\S+)", 1e-6),
  /** Its first centres are random, so that the cost differs from run to run by chance. */
  KMEANS("ml/kmeans", "/samples", "Total cost = (\\S+?)\\.?\\s*$", 0.05),
  NWEIGHT("graph/nweight", "", Output.TEXT, 1e-9);

  /** How the output is written. */
  enum Output {
    /** Lines, or sequence files, which {@code hadoop fs -text} makes lines of. */
    TEXT,
    /** 100 bytes each, without line ends. */
    RECORDS,
    /** Nowhere: the application prints one number. */
    PRINTED
  }

  private final String scripts;
  private final String inputSuffix;
  private final Output output;
  private final Optional<Pattern> printed;
  private final double tolerance;

  HiBenchWorkload(String scripts, String inputSuffix, Output output, double tolerance) {
    this.scripts = scripts;
    this.inputSuffix = inputSuffix;
    this.output = output;
    this.printed = Optional.empty();
    this.tolerance = tolerance;
  }

  HiBenchWorkload(String scripts, String inputSuffix, String printed, double tolerance) {
    this.scripts = scripts;
    this.inputSuffix = inputSuffix;
    this.output = Output.PRINTED;
    this.printed = Optional.of(Pattern.compile(printed, Pattern.MULTILINE));
    this.tolerance = tolerance;
  }

  String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Below {@code bin/workloads} and, as a {@code .conf}, below {@code conf/workloads}. */
  String scripts() {
    return scripts;
  }

  /** What follows HiBench's input path in the path that must exist. */
  String inputSuffix() {
    return inputSuffix;
  }

  Output output() {
    return output;
  }

  /** Finds the printed number, as its first group. */
  Optional<Pattern> printed() {
    return printed;
  }

  /** By how much of their size fractions of two runs may differ. */
  double tolerance() {
    return tolerance;
  }

  /**
   * Those that are named, or all for "hibench".
   *
   * @throws IllegalArgumentException if there's no such workload
   */
  static List<HiBenchWorkload> of(String names) {
    if (names.equals("hibench")) {
      return List.of(values());
    }
    return Arrays.stream(names.split(",", -1)).map(HiBenchWorkload::named).toList();
  }

  static HiBenchWorkload named(String name) {
    return Arrays.stream(values())
        .filter(workload -> workload.label().equals(name))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "no workload "
                        + name
                        + "; there are builtin, hibench, "
                        + String.join(
                            ", ", Arrays.stream(values()).map(HiBenchWorkload::label).toList())));
  }
}
