package org.sparkrdma.bench.fetch;

import java.util.List;
import org.sparkrdma.bench.Sample;

/**
 * What a side took for some blocks.
 *
 * @param wallNanos from the first request to the last byte read
 * @param clientNanos CPU time of the process that fetched
 * @param serverNanos CPU time of the process that has the map outputs
 */
record Figures(long bytes, long blocks, long wallNanos, long clientNanos, long serverNanos) {

  static final String THROUGHPUT = "throughput";
  static final String BLOCKS = "blocks";
  static final String CPU = "cpu";
  static final String CLIENT_CPU = "client_cpu";
  static final String SERVER_CPU_PER_GIB = "server_cpu_per_gib";
  static final String SERVER_CPU = "server_cpu";

  private static final double GIB = 1 << 30;
  private static final double NANOS_PER_MILLI = 1e6;

  /** The side's name where its server's CPU time is compared with the time that passed. */
  static String server(Side side) {
    return side.label() + ".server";
  }

  /** The side's name where the time that passed is compared with. */
  static String wall(Side side) {
    return side.label() + ".wall";
  }

  /** As samples of the cases SIZE.FIGURE: MB/s, blocks/s, CPU ms for each GiB, and ms. */
  List<Sample> samples(int round, BlockSizes sizes, Side side) {
    String size = sizes.label() + ".";
    double seconds = wallNanos / 1e9;
    return List.of(
        new Sample(round, size + THROUGHPUT, side.label(), bytes / 1e6 / seconds),
        new Sample(round, size + BLOCKS, side.label(), blocks / seconds),
        new Sample(round, size + CPU, side.label(), perGib(clientNanos + serverNanos)),
        new Sample(round, size + CLIENT_CPU, side.label(), perGib(clientNanos)),
        new Sample(round, size + SERVER_CPU_PER_GIB, side.label(), perGib(serverNanos)),
        new Sample(round, size + SERVER_CPU, server(side), serverNanos / NANOS_PER_MILLI),
        new Sample(round, size + SERVER_CPU, wall(side), wallNanos / NANOS_PER_MILLI));
  }

  private double perGib(long nanos) {
    return nanos / NANOS_PER_MILLI * (GIB / bytes);
  }
}
