package org.apache.spark.shuffle.rdma.doctor.check;

import java.util.Locale;
import java.util.Optional;
import org.apache.spark.shuffle.rdma.conf.ConfKey;

/** How many mappings a process may have. */
final class MapCountCheck {

  /** For the JVM and its libraries, and for whatever else the application maps. */
  private static final long OTHERS = 10_000;

  private MapCountCheck() {}

  static Finding check(SystemFiles files, Wish wish) {
    long outputs = wish.conf().number(ConfKey.MAX_MAPPED_OUTPUTS);
    Optional<Long> limit = files.number("/proc/sys/vm/max_map_count");
    if (limit.isEmpty()) {
      return Finding.good(Topic.MAP_COUNT, "unknown");
    }
    String found =
        String.format(
            Locale.ROOT,
            "%,d, with %s=%,d",
            limit.get(),
            ConfKey.MAX_MAPPED_OUTPUTS.key(),
            outputs);
    if (limit.get() >= outputs + OTHERS) {
      return Finding.good(Topic.MAP_COUNT, found);
    }
    return new Finding(
        Topic.MAP_COUNT,
        "",
        found,
        limit.get() < outputs ? Verdict.BAD : Verdict.WARN,
        "raise it by `sysctl -w vm.max_map_count="
            + Math.max(65_530, outputs + OTHERS)
            + "`, or lower "
            + ConfKey.MAX_MAPPED_OUTPUTS.key());
  }
}
