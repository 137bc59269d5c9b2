package org.sparkrdma.bench.fetch;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.sparkrdma.bench.Aim;
import org.sparkrdma.bench.ComparedCase;
import org.sparkrdma.bench.Comparison;
import org.sparkrdma.bench.Sample;

/** How the sides are compared, and what should be reached. */
final class FetchComparisons {

  /** The most of a core that a server may take while it's only read. */
  static final double MAX_SERVER_SHARE = 0.01;

  /** How many times better than Netty, by block size. */
  private static final Map<BlockSizes, Double> LOCAL_THROUGHPUT =
      Map.of(BlockSizes.SMALL, 8.0, BlockSizes.MEDIUM, 4.0, BlockSizes.LARGE, 3.5);

  private static final Map<BlockSizes, Double> LOCAL_CPU =
      Map.of(BlockSizes.SMALL, 10.0, BlockSizes.MEDIUM, 4.5, BlockSizes.LARGE, 3.5);

  private static final Map<BlockSizes, Double> TCP_CPU =
      Map.of(BlockSizes.SMALL, 4.0, BlockSizes.MEDIUM, 1.5, BlockSizes.LARGE, 1.0);

  private final List<BlockSizes> sizes;
  private final List<Sample> samples;

  private FetchComparisons(List<BlockSizes> sizes, List<Sample> samples) {
    this.sizes = sizes;
    this.samples = samples;
  }

  /**
   * All comparisons of a run.
   *
   * @param ours the sides that read by our fabric, one or more
   */
  static List<Comparison> of(List<Side> ours, List<BlockSizes> sizes, List<Sample> samples) {
    return new FetchComparisons(sizes, samples).of(ours);
  }

  private List<Comparison> of(List<Side> ours) {
    List<Comparison> all = new ArrayList<>();
    for (Side side : ours) {
      all.add(faster(side, Side.NETTY, side == Side.LOCAL ? LOCAL_THROUGHPUT : Map.of()));
      all.add(cheaper(side, Side.NETTY, cpuAims(side)));
    }
    for (Side side : ours) {
      all.add(serving(side, side != Side.TCP));
    }
    all.add(serving(Side.NETTY, false));
    // The floor doesn't use the server at all: what it takes then is an idle JVM's.
    all.add(serving(Side.FLOOR, false));
    all.add(faster(Side.FLOOR, ours.getFirst(), Map.of()));
    all.add(cheaper(Side.FLOOR, ours.getFirst(), Map.of()));
    return all;
  }

  private static Map<BlockSizes, Double> cpuAims(Side side) {
    return switch (side) {
      case LOCAL -> LOCAL_CPU;
      case TCP -> TCP_CPU;
      case NETTY, VERBS, FLOOR -> Map.of();
    };
  }

  /** Its ratio is side / other. */
  private Comparison faster(Side side, Side other, Map<BlockSizes, Double> aims) {
    List<ComparedCase> cases = new ArrayList<>();
    for (BlockSizes size : sizes) {
      cases.add(new ComparedCase(name(size, Figures.THROUGHPUT), "MB/s", atLeast(aims.get(size))));
    }
    return new Comparison(
        "fetch." + side.label(), new Comparison.Sides(other.label(), side.label()), cases, samples);
  }

  /** Its ratio is other / side: how many times less the side takes. */
  private Comparison cheaper(Side side, Side other, Map<BlockSizes, Double> aims) {
    List<ComparedCase> cases = new ArrayList<>();
    for (BlockSizes size : sizes) {
      cases.add(new ComparedCase(name(size, Figures.CPU), "ms/GiB", atLeast(aims.get(size))));
    }
    return new Comparison(
        "fetch." + side.label(), new Comparison.Sides(side.label(), other.label()), cases, samples);
  }

  /** Its ratio is the share of one core that the server took. */
  private Comparison serving(Side side, boolean oneSided) {
    Optional<Aim> aim = oneSided ? Optional.of(new Aim(false, MAX_SERVER_SHARE)) : Optional.empty();
    return new Comparison(
        "fetch." + side.label(),
        new Comparison.Sides(Figures.wall(side), Figures.server(side)),
        sizes.stream()
            .map(size -> new ComparedCase(name(size, Figures.SERVER_CPU), "ms", aim))
            .toList(),
        samples);
  }

  private static String name(BlockSizes size, String figure) {
    return size.label() + "." + figure;
  }

  private static Optional<Aim> atLeast(@Nullable Double ratio) {
    return ratio == null ? Optional.empty() : Optional.of(new Aim(true, ratio));
  }
}
