package org.sparkrdma.bench.all;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.sparkrdma.bench.Aim;

/**
 * What the benchmarks should reach, by the names in their RATIO lines. They know it themselves too;
 * here it is in one place, also of those that weren't run.
 */
final class Reach {

  private static final Pattern JOB_WALL = Pattern.compile("jobs\\.\\w+\\.\\d+x\\d+\\.wall");
  private static final Map<String, Aim> AIMS = new LinkedHashMap<>();

  static {
    atLeast(8, "fetch.local.4KiB.throughput");
    atLeast(4, "fetch.local.64KiB.throughput");
    atLeast(3.5, "fetch.local.1MiB.throughput");
    atLeast(10, "fetch.local.4KiB.cpu");
    atLeast(4.5, "fetch.local.64KiB.cpu");
    atLeast(3.5, "fetch.local.1MiB.cpu");
    atLeast(4, "fetch.tcp.4KiB.cpu");
    atLeast(1.5, "fetch.tcp.64KiB.cpu");
    atLeast(1, "fetch.tcp.1MiB.cpu");
    atMost(0.01, "fetch.local.4KiB.server_cpu");
    atMost(0.01, "fetch.local.64KiB.server_cpu");
    atMost(0.01, "fetch.local.1MiB.server_cpu");
    atMost(1000, "engine.64.ns");
    atMost(200, "engine.64.bytes");
    atLeast(0.95, "wire.rxe.64KiB.bandwidth");
    atLeast(0.98, "wire.rxe.1MiB.bandwidth");
    atMost(1.02, "jobs.terasort.128x128.wall");
    atMost(1.02, "jobs.groupby.128x128.wall");
    atMost(0.80, "jobs.groupby.128x128.reduce_wall");
    atMost(0.80, "jobs.groupby.128x128.reduce_cpu");
    atMost(0.80, "jobs.terasort.128x128.reduce_wall");
    atMost(0.80, "jobs.terasort.128x128.reduce_cpu");
    atMost(2, "scale.publish_100k.s");
    atMost(20, "scale.lookup_1000x100k.s");
    atMost(1000, "scale.lookup_1000x100k.MB");
    atMost(100, "scale.entry.bytes");
  }

  private Reach() {}

  private static void atLeast(double ratio, String name) {
    AIMS.put(name, new Aim(true, ratio));
  }

  private static void atMost(double ratio, String name) {
    AIMS.put(name, new Aim(false, ratio));
  }

  /** All that {@code ./bench all} should measure. */
  static Map<String, Aim> aims() {
    return new LinkedHashMap<>(AIMS);
  }

  /** Empty where a figure is only told. */
  static Optional<Aim> of(String name) {
    Aim aim = AIMS.get(name);
    return aim == null && JOB_WALL.matcher(name).matches()
        ? Optional.of(new Aim(false, 1.02))
        : Optional.ofNullable(aim);
  }
}
