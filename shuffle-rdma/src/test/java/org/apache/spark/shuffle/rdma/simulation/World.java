package org.apache.spark.shuffle.rdma.simulation;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.spark.shuffle.rdma.location.ManualTimer;

/**
 * A seed's time, chance and record. The reader and the network have one clock, the executors that
 * own outputs another: so that the reader can be paused, as by garbage collection, while outputs
 * that it's about to read are released.
 */
final class World {

  /** Most of the time that passes on one clock before it passes on the other, in milliseconds. */
  private static final int CHUNK_MILLIS = 12;

  final ManualTimer readerTimer = new ManualTimer();
  final ManualTimer ownerTimer = new ManualTimer();
  final Random random;
  final Tally tally = new Tally();

  /** From here on everything ends as lost. */
  boolean engineClosed;

  private final Set<Fault> active = EnumSet.noneOf(Fault.class);
  private final int rate;
  private final boolean traced;
  private final List<String> violations = new ArrayList<>();

  World(long seed, boolean traced) {
    this.traced = traced;
    random = new Random(seed);
    // Faults that are always there together would hide each other, and what works without them.
    int share = random.nextInt(4);
    for (Fault fault : Fault.values()) {
      if (random.nextInt(4) < share) {
        active.add(fault);
      }
    }
    rate = 1 << (2 + random.nextInt(5));
  }

  /** Whether a fault happens now, where it could. */
  boolean strikes(Fault fault) {
    if (!active.contains(fault) || random.nextInt(rate) != 0) {
      return false;
    }
    tally.faults.merge(fault, 1L, Long::sum);
    note(fault.toString());
    return true;
  }

  /** For what isn't to be rare, or is chosen once: whether this seed has it at all. */
  boolean has(Fault fault) {
    if (active.contains(fault)) {
      tally.faults.merge(fault, 1L, Long::sum);
      return true;
    }
    return false;
  }

  /** From 0 to this many milliseconds, mostly few. */
  long delay(int mostMillis) {
    return random.nextInt(1 + random.nextInt(mostMillis + 1));
  }

  /** Runs a step of the reader's or the network's. */
  void later(long millis, Runnable step) {
    var _ = readerTimer.schedule(step, millis, TimeUnit.MILLISECONDS);
  }

  /** On the reader's clock. */
  long nowMillis() {
    return TimeUnit.NANOSECONDS.toMillis(readerTimer.nanoTime());
  }

  void advance(long millis) {
    for (long left = millis; left > 0; ) {
      long chunk = Math.min(left, 1 + random.nextInt(CHUNK_MILLIS));
      ownerTimer.advance(chunk);
      readerTimer.advance(chunk);
      left -= chunk;
    }
  }

  /** Kept until the end: thrown here, the engine would take it for a defect of its own. */
  void violation(String what) {
    note("VIOLATION " + what);
    violations.add(nowMillis() + " ms: " + what);
  }

  void check(boolean holds, String what) {
    if (!holds) {
      violation(what);
    }
  }

  List<String> violations() {
    return violations;
  }

  void note(String event) {
    tally.fingerprint = tally.fingerprint * 31 + nowMillis() * 17 + event.hashCode();
    if (traced) {
      System.out.println(nowMillis() + " ms  " + event);
    }
  }
}
