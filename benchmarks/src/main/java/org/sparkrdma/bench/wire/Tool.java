package org.sparkrdma.bench.wire;

import java.util.Locale;

/** Who measures. */
enum Tool {
  PERFTEST,
  OURS;

  String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
