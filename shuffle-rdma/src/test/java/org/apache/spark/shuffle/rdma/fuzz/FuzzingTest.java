package org.apache.spark.shuffle.rdma.fuzz;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Bad input gives no crash, no hang, no unbounded allocation and no wrong answer. A minute in all,
 * or an hour with {@code -Prdma.extended}; docs/testing.md says how to run one and keep its inputs.
 */
final class FuzzingTest {

  private static final int SECONDS = Boolean.getBoolean("rdma.extended") ? 3_600 : 60;

  @ParameterizedTest
  @EnumSource(Target.class)
  void keptInputsDoNoHarm(Target target) throws Throwable {
    List<byte[]> seeds = target.seeds();
    assertFalse(seeds.isEmpty(), "no input is kept for " + target);
    for (byte[] seed : seeds) {
      target.run(seed);
    }
  }

  /** Two at a time: each has a JVM of its own, whose start takes as long as its turn. */
  @Test
  void inputsThatReachNewCodeDoNoHarm() throws Exception {
    List<Future<?>> all = new ArrayList<>();
    try (ExecutorService pool = Executors.newFixedThreadPool(2)) {
      for (Target target : Target.values()) {
        all.add(
            pool.submit(
                () -> {
                  fuzz(target);
                  return null;
                }));
      }
      for (Future<?> one : all) {
        one.get();
      }
    }
  }

  private static void fuzz(Target target) throws Exception {
    int seed = (int) (Long.getLong("rdma.test.seed", new Random().nextLong()) & 0x7fff_ffff);
    int seconds = Integer.getInteger("rdma.fuzz.seconds", SECONDS) / Target.values().length;
    Path directory =
        Path.of(
                System.getProperty("basedir", "."),
                "target",
                "fuzz",
                target.name().toLowerCase(Locale.ROOT))
            .toAbsolutePath();
    Files.createDirectories(directory);
    System.out.println(target + ": " + seconds + " s, seed " + seed);
    Fuzzer fuzzer = new Fuzzer(target, directory);
    long executed = fuzzer.run(seconds, seed);
    System.out.println(target + ": " + executed + " inputs in " + seconds + " s");
    assertTrue(executed > 0, "no input was tried");
    if (Boolean.getBoolean("rdma.fuzz.keep")) {
      fuzzer.keepCorpus();
    }
  }
}
