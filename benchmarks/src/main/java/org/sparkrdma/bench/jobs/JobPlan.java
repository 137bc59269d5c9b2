package org.sparkrdma.bench.jobs;

/** A workload and its shape. */
record JobPlan(JobWorkload workload, Shape shape) {

  /** In RATIO lines, such as {@code terasort.128x128}. */
  String label() {
    return workload.label() + "." + shape.label();
  }

  /** The job group of one run, by which the event log tells its stages. */
  String group(int round) {
    return label() + "." + round;
  }
}
