package org.sparkrdma.bench.wire;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.sparkrdma.bench.wire.Sample.Tool;

/**
 * What the samples of a run say. A ratio is ours / perftest's <em>of the same round</em>, whose
 * measurements are neighbours in time, so that a machine that gets slower or faster during a run
 * changes the ratios little; what is reported is their median.
 */
final class WireResult {

  /** A case's values and ratios over all rounds. */
  record Row(WireCase wireCase, Spread perftest, Spread ours, Spread ratio) {}

  private final String link;
  private final List<Sample> samples;
  private final List<Row> rows = new ArrayList<>();

  /**
   * @param link the driver or device, as it's called in {@code RATIO} lines
   */
  WireResult(String link, List<Sample> samples) {
    this.link = link;
    this.samples = List.copyOf(samples);
    for (WireCase wireCase : WireCase.values()) {
      double[] perftest = values(wireCase, Tool.PERFTEST);
      double[] ours = values(wireCase, Tool.OURS);
      if (perftest.length != ours.length || ours.length == 0) {
        throw new IllegalArgumentException(
            ours.length + " and " + perftest.length + " samples of " + wireCase.label());
      }
      double[] ratios = new double[ours.length];
      for (int i = 0; i < ratios.length; i++) {
        ratios[i] = ours[i] / perftest[i];
      }
      rows.add(new Row(wireCase, Spread.of(perftest), Spread.of(ours), Spread.of(ratios)));
    }
  }

  /** By round. */
  private double[] values(WireCase wireCase, Tool tool) {
    return samples.stream()
        .filter(sample -> sample.wireCase() == wireCase && sample.tool() == tool)
        .sorted(java.util.Comparator.comparingInt(Sample::round))
        .mapToDouble(Sample::value)
        .toArray();
  }

  List<Row> rows() {
    return List.copyOf(rows);
  }

  String link() {
    return link;
  }

  /** For people. */
  String table() {
    StringBuilder text = new StringBuilder();
    text.append(
        String.format(
            Locale.ROOT,
            "%-16s %-6s %9s %9s   %5s  %-12s  %-7s%n",
            link,
            "",
            "perftest",
            "ours",
            "ratio",
            "(spread)",
            "aim"));
    for (Row row : rows) {
      WireCase wireCase = row.wireCase();
      text.append(
          String.format(
              Locale.ROOT,
              "%-16s %-6s %9.1f %9.1f   %5.2f  (%.2f-%.2f)   %-7s  %s%n",
              wireCase.label(),
              wireCase.kind().unit(),
              row.perftest().median(),
              row.ours().median(),
              row.ratio().median(),
              row.ratio().least(),
              row.ratio().most(),
              wireCase.aimText(),
              wireCase.isReached(row.ratio().median()) ? "reached" : "missed"));
    }
    return text.toString();
  }

  /** For programs. */
  List<String> ratioLines() {
    return rows.stream()
        .map(
            row ->
                String.format(
                    Locale.ROOT,
                    "RATIO wire.%s.%s %.2f",
                    link,
                    row.wireCase().label(),
                    row.ratio().median()))
        .toList();
  }

  /** Every sample. */
  String csv() {
    StringBuilder text = new StringBuilder("link,case,unit,round,tool,value\n");
    for (Sample sample : samples) {
      text.append(
          String.format(
              Locale.ROOT,
              "%s,%s,%s,%d,%s,%.3f%n",
              link,
              sample.wireCase().label(),
              sample.wireCase().kind().unit(),
              sample.round(),
              sample.tool().label(),
              sample.value()));
    }
    return text.toString();
  }
}
