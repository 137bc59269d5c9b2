package org.sparkrdma.bench.builtin;

import java.util.Collection;
import java.util.Locale;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.sparkrdma.it.terasort.RecordFiles;
import org.sparkrdma.it.terasort.TeraSort;

/**
 * What the workloads read, in one folder. It's a function of the size and the seed alone: each row
 * is made of hashes of its number. That choice within a range is biased towards small values, as
 * words, pages and visitors are; a hash's bits become a uniform number u, and e^(u ln n) is that.
 */
final class Inputs {

  private static final long SEED = 20260101;

  private final SparkSession spark;
  private final String folder;
  private final Size size;

  /**
   * @param folder its URI, which all executors reach
   */
  Inputs(SparkSession spark, String folder, Size size) {
    this.spark = spark;
    this.folder = folder;
    this.size = size;
  }

  SparkSession spark() {
    return spark;
  }

  Size size() {
    return size;
  }

  /** For TeraSort and Repartition: 100-byte records. */
  RecordFiles records() {
    return new RecordFiles(folder + "/records");
  }

  /** For sorted records. */
  RecordFiles sorted() {
    return new RecordFiles(folder + "/sorted");
  }

  /** For WordCount: text. */
  Dataset<Row> lines() {
    return spark.read().text(folder + "/lines");
  }

  /** For PageRank: the source and the target of each link, as bigint. */
  Dataset<Row> links() {
    return spark.read().parquet(folder + "/links");
  }

  /** For Join: pageURL, pageRank. */
  Dataset<Row> rankings() {
    return spark.read().parquet(folder + "/rankings");
  }

  /** For Join and Aggregation: sourceIP, destURL, visitDay, adRevenueCents, userAgent. */
  Dataset<Row> visits() {
    return spark.read().parquet(folder + "/visits");
  }

  /** Writes what these workloads read. */
  void generate(Collection<Workload> workloads) {
    if (workloads.contains(Workload.TERASORT) || workloads.contains(Workload.REPARTITION)) {
      new TeraSort(JavaSparkContext.fromSparkContext(spark.sparkContext()))
          .generate(records(), size.partitions(), size.records(), SEED);
    }
    if (workloads.contains(Workload.WORDCOUNT)) {
      generateLines();
    }
    if (workloads.contains(Workload.PAGERANK)) {
      generateLinks();
    }
    if (workloads.contains(Workload.JOIN) || workloads.contains(Workload.AGGREGATION)) {
      generateTables();
    }
  }

  private void generateLines() {
    rows(size.lines())
        .selectExpr(
            "concat_ws(' ', transform(sequence(1, 10), i -> concat('w', hex("
                + skewed("i", size.words())
                + ")))) AS value")
        .write()
        .text(folder + "/lines");
  }

  private void generateLinks() {
    rows(size.links())
        .selectExpr(
            // Every page has a link, as in HiBench's input.
            "id % " + size.pages() + " AS source", skewed("2", size.pages()) + " AS target")
        .write()
        .parquet(folder + "/links");
  }

  private void generateTables() {
    rows(size.pages())
        .selectExpr(url("id + 1") + " AS pageURL", uniform("3", 10_000) + " AS pageRank")
        .write()
        .parquet(folder + "/rankings");
    rows(size.visits())
        .selectExpr(
            "concat_ws('.', '10', "
                + String.join(", ", uniform("4", 64), uniform("5", 32), uniform("6", 16))
                + ") AS sourceIP",
            url(skewed("7", size.pages())) + " AS destURL",
            uniform("8", 3650) + " AS visitDay",
            uniform("9", 100_000) + " AS adRevenueCents",
            "hex(" + hash("10") + ") || hex(" + hash("11") + ") AS userAgent")
        .write()
        .parquet(folder + "/visits");
  }

  private Dataset<Row> rows(long count) {
    return spark.range(0, count, 1, size.partitions()).toDF();
  }

  /**
   * @param salt different for each column
   */
  private static String hash(String salt) {
    return "xxhash64(id, " + salt + ", " + SEED + "L)";
  }

  /** From 0 to {@code bound} - 1. */
  private static String uniform(String salt, long bound) {
    return "pmod(" + hash(salt) + ", " + bound + "L)";
  }

  /** From 1 to {@code bound}. */
  private static String skewed(String salt, long bound) {
    return String.format(
        Locale.ROOT,
        "least(%dL, cast(exp(%s / 1e6 * ln(%d)) AS bigint))",
        bound,
        uniform(salt, 1_000_000),
        bound);
  }

  private static String url(String number) {
    return "concat('http://site-', hex(" + number + "), '.example/page')";
  }
}
