package org.sparkrdma.bench.jobs;

import java.util.List;
import org.sparkrdma.it.terasort.Totals;

/**
 * What a job brought.
 *
 * @param totals of its output, whatever the rows' order
 * @param problems what is wrong with it by itself; empty if nothing is
 */
record Outcome(Totals totals, List<String> problems) {

  Outcome {
    problems = List.copyOf(problems);
  }

  /** Of an output that should have so many records. */
  static Outcome of(Totals totals, long expected) {
    return new Outcome(
        totals,
        totals.records() == expected
            ? List.of()
            : List.of(totals.records() + " records instead of " + expected));
  }
}
