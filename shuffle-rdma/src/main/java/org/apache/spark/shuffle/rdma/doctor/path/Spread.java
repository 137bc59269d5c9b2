package org.apache.spark.shuffle.rdma.doctor.path;

import java.util.Arrays;

/** Several rounds of one measurement: the middle, and how far apart they are. */
public record Spread(double median, double least, double most) {

  /** Of 1 value or more. */
  static Spread of(double[] values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    int middle = sorted.length / 2;
    double median =
        sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    return new Spread(median, sorted[0], sorted[sorted.length - 1]);
  }
}
