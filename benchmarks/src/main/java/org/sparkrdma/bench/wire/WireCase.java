package org.sparkrdma.bench.wire;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.sparkrdma.bench.Aim;
import org.sparkrdma.bench.ComparedCase;

/** What is measured, by both tools alike. */
enum WireCase {
  /** Large blocks. */
  MEBIBYTE_BANDWIDTH("1MiB.bandwidth", Kind.BANDWIDTH, 1 << 20, 1, 1_000, 0.98),
  /** Small blocks. */
  KIBIBYTES_BANDWIDTH("64KiB.bandwidth", Kind.BANDWIDTH, 64 << 10, 1, 10_000, 0.95),
  /** Small blocks by several queue pairs, as from several executors. */
  FOUR_PAIRS("64KiB.4qp.bandwidth", Kind.BANDWIDTH, 64 << 10, 4, 2_500, 0.95),
  /** Small blocks by many. */
  SIXTEEN_PAIRS("64KiB.16qp.bandwidth", Kind.BANDWIDTH, 64 << 10, 16, 1_000, 0.95),
  /** Two offsets of an index page, as many as there's room for. */
  RATE("16B.rate", Kind.RATE, 16, 1, 40_000, 0.95),
  /** An index entry, one read at a time. */
  LATENCY("latency", Kind.LATENCY, 8, 1, 10_000, 1.25);

  /** How a value is to be read. */
  enum Kind {
    /** MiB a second, as perftest's "MB/sec": more is better. */
    BANDWIDTH("MiB/s"),
    /** Thousands of reads a second: more is better. */
    RATE("k/s"),
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
  private final int queuePairs;
  private final int reads;
  private final double aim;

  WireCase(String label, Kind kind, int bytes, int queuePairs, int reads, double aim) {
    this.label = label;
    this.kind = kind;
    this.bytes = bytes;
    this.queuePairs = queuePairs;
    this.reads = reads;
    this.aim = aim;
  }

  /** All, as they are reported. */
  static List<ComparedCase> compared() {
    return Arrays.stream(values())
        .map(one -> new ComparedCase(one.label, one.kind.unit(), Optional.of(one.aim())))
        .toList();
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

  /** That read side by side, into one completion queue. */
  int queuePairs() {
    return queuePairs;
  }

  /** Reads of one measurement by each queue pair. */
  int reads(boolean quick) {
    return quick ? reads / QUICK_DIVISOR : reads;
  }

  /** Of the ratio ours / perftest. */
  private Aim aim() {
    return new Aim(kind != Kind.LATENCY, aim);
  }
}
