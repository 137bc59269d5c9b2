package org.apache.spark.shuffle.rdma.doctor.check;

import java.util.Locale;

/** How bad a finding is; the exit status of the command is that of its worst finding. */
public enum Verdict {
  /** Nothing to do. */
  GOOD(0),
  /** It works, but not as well as it could, or not everything does. */
  WARN(1),
  /** What was asked for can't work. */
  BAD(2);

  private final int exitStatus;

  Verdict(int exitStatus) {
    this.exitStatus = exitStatus;
  }

  public int exitStatus() {
    return exitStatus;
  }

  /** As it's printed. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** The worse of two. */
  public Verdict or(Verdict other) {
    return compareTo(other) >= 0 ? this : other;
  }
}
