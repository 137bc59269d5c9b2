package org.sparkrdma.bench.register;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Maps, registers and later releases small files, and copies them into a slab that's registered
 * once, in us for each file.
 */
final class CopyTimes {

  /** As many as share a mapping group of the registry. */
  private static final int FILES = 64;

  /** Over all files, in one measurement. */
  private static final int PASSES = 8;

  private static final int QUICK_PASSES = 2;

  private static final double NANOS_PER_MICRO = 1e3;

  private final @Nullable BareDevice device;
  private final Path folder;
  private final int passes;

  CopyTimes(@Nullable BareDevice device, Path folder, boolean quick) {
    this.device = device;
    this.folder = folder;
    this.passes = quick ? QUICK_PASSES : PASSES;
  }

  /** Measures with files of a size. */
  void measure(int bytes, int rounds) throws IOException, InterruptedException {
    try (ShuffleFiles files = new ShuffleFiles(folder, FILES, bytes);
        Copies copies = new Copies(device, files.totalBytes())) {
      Turns.take(
          "copying and mapping " + FILES + " x " + RegisterCases.size(bytes),
          rounds,
          RegisterCases.COPYING,
          () -> perFile(files, () -> copy(files, copies)),
          () -> perFile(files, () -> map(files)));
    }
  }

  private interface Pass {
    void run() throws IOException;
  }

  private Map<String, Double> perFile(ShuffleFiles files, Pass pass) throws IOException {
    long start = System.nanoTime();
    for (int i = 0; i < passes; i++) {
      pass.run();
    }
    double micros = (System.nanoTime() - start) / NANOS_PER_MICRO;
    return Map.of(RegisterCases.copyLabel(files.bytes()), micros / (passes * FILES));
  }

  private static void copy(ShuffleFiles files, Copies copies) throws IOException {
    for (Path file : files.paths()) {
      copies.add(file, files.bytes());
    }
  }

  private void map(ShuffleFiles files) throws IOException {
    try (Mappings mappings = new Mappings(device)) {
      for (Path file : files.paths()) {
        mappings.add(file, files.bytes());
      }
    }
  }
}
