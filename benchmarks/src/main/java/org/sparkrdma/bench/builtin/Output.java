package org.sparkrdma.bench.builtin;

import java.nio.charset.StandardCharsets;
import org.apache.spark.api.java.JavaRDD;
import org.sparkrdma.it.terasort.Totals;

/** Reduces a workload's output to what is compared, whatever the rows' order. */
public final class Output {

  private Output() {}

  /** Runs the job. */
  static Totals ofText(JavaRDD<String> rows) {
    return ofBytes(rows.map(row -> row.getBytes(StandardCharsets.UTF_8)));
  }

  /** Runs the job. */
  public static Totals ofBytes(JavaRDD<byte[]> rows) {
    return rows.aggregate(Totals.NONE, Totals::plus, Totals::plus);
  }
}
