package org.sparkrdma.bench.register;

import java.util.List;
import java.util.Optional;
import org.sparkrdma.bench.Aim;
import org.sparkrdma.bench.ComparedCase;
import org.sparkrdma.bench.Comparison;

/** What is measured: by sizes of files, in bytes. */
final class RegisterCases {

  /** The most that the shuffle may take, as a multiple of the bare system calls' time. */
  static final double MAX_TIME_RATIO = 1.10;

  static final String BARE = "bare";
  static final String OURS = "ours";
  static final String COPY = "copy";
  static final String MAP = "map";

  /** A ratio above 1 says that ours takes longer. */
  static final Comparison.Sides REGISTERING = new Comparison.Sides(BARE, OURS);

  /** A ratio above 1 says that a copy is faster. */
  static final Comparison.Sides COPYING = new Comparison.Sides(COPY, MAP);

  /** Of a small map output and of a large one. */
  static final List<Integer> REGISTERED_BYTES = List.of(1 << 20, 64 << 20);

  /** On both sides of the shuffle's own choice, 64 KiB. */
  static final List<Integer> COPIED_BYTES =
      List.of(4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20);

  private RegisterCases() {}

  static String timeLabel(int bytes) {
    return size(bytes) + ".time";
  }

  static String releaseLabel(int bytes) {
    return size(bytes) + ".release";
  }

  static String copyLabel(int bytes) {
    return "copy." + size(bytes);
  }

  /**
   * Registering and releasing.
   *
   * @param pins whether a device pins memory; else there's little to compare with, and no aim
   */
  static List<ComparedCase> registering(boolean pins) {
    Optional<Aim> aim = pins ? Optional.of(new Aim(false, MAX_TIME_RATIO)) : Optional.empty();
    return REGISTERED_BYTES.stream()
        .flatMap(
            bytes ->
                List.of(
                    new ComparedCase(timeLabel(bytes), "ms/GiB", aim),
                    new ComparedCase(releaseLabel(bytes), "ms/GiB", Optional.empty()))
                    .stream())
        .toList();
  }

  static List<ComparedCase> copying() {
    return COPIED_BYTES.stream()
        .map(bytes -> new ComparedCase(copyLabel(bytes), "us", Optional.empty()))
        .toList();
  }

  /** For people and labels. */
  static String size(int bytes) {
    return bytes < 1 << 20 ? (bytes >> 10) + "KiB" : (bytes >> 20) + "MiB";
  }
}
