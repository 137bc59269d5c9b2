package org.sparkrdma.bench.register;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Registers files by the registry and bare, and releases them, in ms for each GiB. */
final class RegisterTimes {

  /**
   * Bytes of one measurement. The test kernel needs a mapping of its host for each page that is
   * mapped, of which there are 65,530.
   */
  private static final int TOTAL_BYTES = 128 << 20;

  private static final int QUICK_BYTES = 64 << 20;

  /** Over all files, in one measurement. */
  private static final int PASSES = 4;

  /** The same where nothing is pinned: few passes would be over in microseconds. */
  private static final int UNPINNED_PASSES = 100;

  private static final double BYTES_PER_GIB = 1 << 30;
  private static final double NANOS_PER_MILLI = 1e6;

  private final @Nullable BareDevice device;
  private final Outputs outputs;
  private final Path folder;
  private final boolean quick;

  RegisterTimes(@Nullable BareDevice device, Outputs outputs, Path folder, boolean quick) {
    this.device = device;
    this.outputs = outputs;
    this.folder = folder;
    this.quick = quick;
  }

  /** Measures with files of a size. */
  void measure(int bytes, int rounds) throws IOException, InterruptedException {
    int count = (quick ? QUICK_BYTES : TOTAL_BYTES) / bytes;
    try (ShuffleFiles files = new ShuffleFiles(folder, count, bytes)) {
      Turns.take(
          "registering " + count + " x " + RegisterCases.size(bytes),
          rounds,
          RegisterCases.REGISTERING,
          () -> passes(files, this::bare),
          () -> passes(files, this::ours));
    }
  }

  /** Nanoseconds. */
  private record Times(long register, long release) {}

  private interface Pass {
    Times run(ShuffleFiles files) throws IOException, InterruptedException;
  }

  private Map<String, Double> passes(ShuffleFiles files, Pass pass)
      throws IOException, InterruptedException {
    int passes = device == null ? UNPINNED_PASSES : PASSES;
    long register = 0;
    long release = 0;
    for (int i = 0; i < passes; i++) {
      Times times = pass.run(files);
      register += times.register();
      release += times.release();
    }
    double gibibytes = files.totalBytes() * passes / BYTES_PER_GIB;
    return Map.of(
        RegisterCases.timeLabel(files.bytes()), register / NANOS_PER_MILLI / gibibytes,
        RegisterCases.releaseLabel(files.bytes()), release / NANOS_PER_MILLI / gibibytes);
  }

  private Times bare(ShuffleFiles files) throws IOException {
    long start = System.nanoTime();
    long registered;
    try (Mappings mappings = new Mappings(device)) {
      for (Path file : files.paths()) {
        mappings.add(file, files.bytes());
      }
      registered = System.nanoTime();
    }
    return new Times(registered - start, System.nanoTime() - registered);
  }

  private Times ours(ShuffleFiles files) throws IOException, InterruptedException {
    long start = System.nanoTime();
    for (Path file : files.paths()) {
      outputs.add(file, files.bytes());
    }
    long registered = System.nanoTime();
    outputs.release();
    return new Times(registered - start, System.nanoTime() - registered);
  }
}
