package org.sparkrdma.bench.jobs;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.apache.spark.sql.SparkSession;

/** The jobs. None reads or writes a file other than the shuffle's: map tasks make their records. */
enum JobWorkload {
  /** Sorts 100-byte records by ranges of their keys; reduce tasks check the order. */
  TERASORT {
    @Override
    Outcome run(SparkSession spark, Shape shape, long bytes) {
      return RecordJobs.of(spark, shape).teraSort(bytes);
    }
  },
  /** Groups 1 KiB values by their keys: each key comes once from each map task. */
  GROUPBY {
    @Override
    Outcome run(SparkSession spark, Shape shape, long bytes) {
      return RecordJobs.of(spark, shape).groupBy(bytes);
    }
  },
  /** Moves 1 KiB values round-robin to other partitions. */
  REPARTITION {
    @Override
    Outcome run(SparkSession spark, Shape shape, long bytes) {
      return RecordJobs.of(spark, shape).repartition(bytes);
    }
  },
  /** Three iterations over the links between pages: four shuffles, of small blocks. */
  PAGERANK {
    @Override
    Outcome run(SparkSession spark, Shape shape, long bytes) {
      return LinkJobs.pageRank(spark, shape, bytes);
    }
  },
  /** A shuffled sort-merge join of two tables in SQL, each half of the bytes, and their sum. */
  JOIN {
    @Override
    Outcome run(SparkSession spark, Shape shape, long bytes) {
      return LinkJobs.join(spark, shape, bytes);
    }
  };

  /** In lower case, in options and reports. */
  String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /**
   * Of a label.
   *
   * @throws IllegalArgumentException if there's none of it
   */
  static JobWorkload of(String label) {
    return Arrays.stream(values())
        .filter(workload -> workload.label().equals(label))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "no workload " + label + "; there are " + String.join(", ", labels())));
  }

  static List<String> labels() {
    return Arrays.stream(values()).map(JobWorkload::label).toList();
  }

  /**
   * Does its work, which is what is measured.
   *
   * @param bytes that it shuffles, about; PageRank less
   */
  abstract Outcome run(SparkSession spark, Shape shape, long bytes);
}
