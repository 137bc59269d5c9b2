package org.sparkrdma.bench.wire;

import java.util.Locale;

/** What is measured, by both tools alike. */
enum WireCase {
  /** Large blocks. */
  MEBIBYTE_BANDWIDTH("1MiB.bandwidth", Kind.BANDWIDTH, 1 << 20, 1_000, 0.95),
  /** Small blocks. */
  KIBIBYTES_BANDWIDTH("64KiB.bandwidth", Kind.BANDWIDTH, 64 << 10, 10_000, 0.90),
  /** An index entry, one read at a time. */
  LATENCY("latency", Kind.LATENCY, 8, 10_000, 1.25);

  /** How a value is to be read. */
  enum Kind {
    /** MiB a second, as perftest's "MB/sec": more is better. */
    BANDWIDTH("MiB/s"),
    /** Microseconds of the median read: less is better. */
    LATENCY("us");

    private final String unit;

    Kind(String unit) {
      this.unit = unit;
    }

    String unit() {
      return unit;
    }
  }

  private static final int QUICK_DIVISOR = 4;

  private final String label;
  private final Kind kind;
  private final int bytes;
  private final int reads;
  private final double aim;

  WireCase(String label, Kind kind, int bytes, int reads, double aim) {
    this.label = label;
    this.kind = kind;
    this.bytes = bytes;
    this.reads = reads;
    this.aim = aim;
  }

  static WireCase of(String label) {
    for (WireCase one : values()) {
      if (one.label.equals(label)) {
        return one;
      }
    }
    throw new IllegalArgumentException("no case is called " + label);
  }

  /** Its part of the names in {@code RATIO} lines. */
  String label() {
    return label;
  }

  Kind kind() {
    return kind;
  }

  /** Bytes of one read. */
  int bytes() {
    return bytes;
  }

  /** Reads of one measurement. */
  int reads(boolean quick) {
    return quick ? reads / QUICK_DIVISOR : reads;
  }

  /**
   * The ratio ours / perftest that should be reached: at least for bandwidth, at most for latency.
   */
  double aim() {
    return aim;
  }

  boolean isReached(double ratio) {
    return kind == Kind.BANDWIDTH ? ratio >= aim : ratio <= aim;
  }

  String aimText() {
    return String.format(Locale.ROOT, "%s %.2f", kind == Kind.BANDWIDTH ? ">=" : "<=", aim);
  }
}
