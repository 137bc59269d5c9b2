package org.sparkrdma.bench;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * What the samples of a run say of two sides. A ratio is measured / reference <em>of the same
 * round</em>, whose measurements are neighbours in time, so that a machine that gets slower or
 * faster during a run changes the ratios little; what is reported is their median.
 */
public final class Comparison {

  private static final double SMALL_RATIO = 0.1;

  /** A case's values and ratios over all rounds. */
  record Row(ComparedCase compared, Spread reference, Spread measured, Spread ratio) {}

  private final String name;
  private final Sides sides;
  private final List<Sample> samples;
  private final List<Row> rows = new ArrayList<>();

  /** Who is compared, as {@link Sample#side()} has it: the ratio is measured / reference. */
  public record Sides(String reference, String measured) {}

  /**
   * Takes the samples of these cases; others are passed over.
   *
   * @param name of benchmark and link, such as {@code wire.rxe}: how RATIO lines begin
   * @throws IllegalArgumentException if a case lacks a sample
   */
  public Comparison(String name, Sides sides, List<ComparedCase> cases, List<Sample> samples) {
    this.name = name;
    this.sides = sides;
    this.samples = List.copyOf(samples);
    for (ComparedCase compared : cases) {
      double[] reference = values(compared, sides.reference());
      double[] measured = values(compared, sides.measured());
      if (reference.length != measured.length || measured.length == 0) {
        throw new IllegalArgumentException(
            measured.length + " and " + reference.length + " samples of " + compared.label());
      }
      double[] ratios = new double[measured.length];
      for (int i = 0; i < ratios.length; i++) {
        ratios[i] = measured[i] / reference[i];
      }
      rows.add(new Row(compared, Spread.of(reference), Spread.of(measured), Spread.of(ratios)));
    }
  }

  /** By round. */
  private double[] values(ComparedCase compared, String side) {
    return samplesOf(compared)
        .filter(one -> one.side().equals(side))
        .sorted(Comparator.comparingInt(Sample::round))
        .mapToDouble(Sample::value)
        .toArray();
  }

  private Stream<Sample> samplesOf(ComparedCase compared) {
    return samples.stream().filter(one -> one.caseLabel().equals(compared.label()));
  }

  List<Row> rows() {
    return List.copyOf(rows);
  }

  String title() {
    return name + ": " + sides.measured() + " / " + sides.reference();
  }

  /** For people. */
  String table() {
    StringBuilder text = new StringBuilder();
    text.append(
        String.format(
            Locale.ROOT,
            "%-18s %-6s %9s %9s   %5s  %s%n",
            name,
            "",
            sides.reference(),
            sides.measured(),
            "ratio",
            "(spread)"));
    for (Row row : rows) {
      Spread ratio = row.ratio();
      text.append(
          String.format(
              Locale.ROOT,
              "%-18s %-6s %9.1f %9.1f   %5s  (%s-%s)%s%n",
              row.compared().label(),
              row.compared().unit(),
              row.reference().median(),
              row.measured().median(),
              text(ratio.median()),
              text(ratio.least()),
              text(ratio.most()),
              row.compared().aim().map(aim -> verdict(aim, ratio.median())).orElse("")));
    }
    return text.toString();
  }

  /** Shares may be small. */
  private static String text(double ratio) {
    return String.format(Locale.ROOT, ratio < SMALL_RATIO ? "%.4f" : "%.2f", ratio);
  }

  private static String verdict(Aim aim, double ratio) {
    return "   aim " + aim.text() + "  " + (aim.isReachedBy(ratio) ? "reached" : "missed");
  }

  /** For programs. */
  public List<String> ratioLines() {
    return rows.stream()
        .map(
            row ->
                String.format(
                    Locale.ROOT,
                    "RATIO %s.%s %s",
                    name,
                    row.compared().label(),
                    text(row.ratio().median())))
        .toList();
  }

  /** Every sample; a line has link, case, unit, round, side and value. */
  List<String> csvLines(String link) {
    return rows.stream()
        .map(Row::compared)
        .flatMap(compared -> samplesOf(compared).map(sample -> csvLine(link, compared, sample)))
        .toList();
  }

  private static String csvLine(String link, ComparedCase compared, Sample sample) {
    return String.format(
        Locale.ROOT,
        "%s,%s,%s,%d,%s,%.3f",
        link,
        compared.label(),
        compared.unit(),
        sample.round(),
        sample.side(),
        sample.value());
  }
}
