package org.sparkrdma.bench;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * What the samples of a run say of figures that may grow with the size of the work: plain values,
 * medians over the rounds, of our side and maybe of others.
 */
public final class Growth {

  /** The side whose figures have aims, and whose names need no side. */
  public static final String OURS = "ours";

  /** A side's values of a case. */
  record Row(GrowthCase grown, String side, Spread values) {}

  private final String name;
  private final String sizeTitle;
  private final List<Sample> samples;
  private final List<Row> rows = new ArrayList<>();

  /**
   * Takes the samples of these cases. A case that nobody measured has no row.
   *
   * @param name of the benchmark: how RATIO lines begin, and files' names
   * @param sizeTitle what the sizes count, for people
   */
  public Growth(String name, String sizeTitle, List<GrowthCase> cases, List<Sample> samples) {
    this.name = name;
    this.sizeTitle = sizeTitle;
    this.samples = List.copyOf(samples);
    Set<String> sides = new LinkedHashSet<>(List.of(OURS));
    samples.forEach(sample -> sides.add(sample.side()));
    for (GrowthCase grown : cases) {
      for (String side : sides) {
        double[] values =
            samples.stream()
                .filter(one -> one.caseLabel().equals(grown.compared().label()))
                .filter(one -> one.side().equals(side))
                .mapToDouble(Sample::value)
                .toArray();
        if (values.length > 0) {
          rows.add(new Row(grown, side, Spread.of(values)));
        }
      }
    }
    if (rows.isEmpty()) {
      throw new IllegalArgumentException("no sample of any case of " + name);
    }
  }

  String name() {
    return name;
  }

  String sizeTitle() {
    return sizeTitle;
  }

  List<Row> rows() {
    return List.copyOf(rows);
  }

  /** For people. */
  String table() {
    StringBuilder text = new StringBuilder();
    text.append(
        String.format(
            Locale.ROOT, "%-26s %-8s %-8s %12s  %s%n", name, "unit", "side", "median", "(spread)"));
    for (Row row : rows) {
      Spread values = row.values();
      text.append(
          String.format(
              Locale.ROOT,
              "%-26s %-8s %-8s %12.3f  (%.3f-%.3f)%s%n",
              row.grown().compared().label(),
              row.grown().compared().unit(),
              row.side(),
              values.median(),
              values.least(),
              values.most(),
              verdict(row)));
    }
    return text.toString();
  }

  private static String verdict(Row row) {
    if (!row.side().equals(OURS)) {
      return "";
    }
    double median = row.values().median();
    return row.grown()
        .compared()
        .aim()
        .map(
            aim -> "   aim " + aim.text() + "  " + (aim.isReachedBy(median) ? "reached" : "missed"))
        .orElse("");
  }

  /** For programs: {@code RATIO NAME.CASE VALUE}, with the side before the case if not ours. */
  List<String> ratioLines() {
    return rows.stream()
        .map(
            row ->
                String.format(
                    Locale.ROOT,
                    "RATIO %s.%s%s %.3f",
                    name,
                    row.side().equals(OURS) ? "" : row.side() + ".",
                    row.grown().compared().label(),
                    row.values().median()))
        .toList();
  }

  /** Every sample of the cases, after a line of titles. */
  List<String> csvLines() {
    List<String> lines = new ArrayList<>(List.of("case,unit,series,size,round,side,value"));
    for (Row row : rows) {
      GrowthCase grown = row.grown();
      samples.stream()
          .filter(one -> one.caseLabel().equals(grown.compared().label()))
          .filter(one -> one.side().equals(row.side()))
          .sorted(Comparator.comparingInt(Sample::round))
          .forEach(
              one ->
                  lines.add(
                      String.format(
                          Locale.ROOT,
                          "%s,%s,%s,%.0f,%d,%s,%.3f",
                          grown.compared().label(),
                          grown.compared().unit(),
                          grown.series(),
                          grown.size(),
                          one.round(),
                          one.side(),
                          one.value())));
    }
    return lines;
  }
}
