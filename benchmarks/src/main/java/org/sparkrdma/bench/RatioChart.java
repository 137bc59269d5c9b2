package org.sparkrdma.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.knowm.xchart.BitmapEncoder;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategoryChartBuilder;
import org.knowm.xchart.style.Styler;

/** Draws ratios beside what they should be. */
final class RatioChart {

  private RatioChart() {}

  /** Writes a PNG with a chart of each comparison, one below the other. */
  static void write(List<Comparison> comparisons, Path file) throws IOException {
    List<CategoryChart> charts = comparisons.stream().map(RatioChart::draw).toList();
    BitmapEncoder.saveBitmap(
        charts, charts.size(), 1, file.toString(), BitmapEncoder.BitmapFormat.PNG);
  }

  /** The bars' lines go up and down by the larger half of the spread. */
  private static CategoryChart draw(Comparison comparison) {
    List<Comparison.Row> rows = comparison.rows();
    List<String> names = rows.stream().map(row -> row.compared().label()).toList();
    CategoryChart chart =
        new CategoryChartBuilder()
            .width(800)
            .height(500)
            .title(comparison.title())
            .yAxisTitle("ratio")
            .build();
    // Outside, where it covers no bar.
    chart.getStyler().setLegendPosition(Styler.LegendPosition.OutsideS);
    chart.getStyler().setLegendLayout(Styler.LegendLayout.Horizontal);
    chart.getStyler().setYAxisMin(0.0);
    chart.addSeries(
        "measured (median)",
        names,
        rows.stream().map(row -> row.ratio().median()).toList(),
        rows.stream().map(RatioChart::halfSpread).toList());
    if (rows.stream().anyMatch(row -> row.compared().aim().isPresent())) {
      List<@Nullable Double> aims = new ArrayList<>();
      rows.forEach(row -> aims.add(row.compared().aim().map(Aim::ratio).orElse(null)));
      chart.addSeries("aim", names, aims);
    }
    return chart;
  }

  private static Double halfSpread(Comparison.Row row) {
    Spread ratio = row.ratio();
    return Math.max(ratio.most() - ratio.median(), ratio.median() - ratio.least());
  }
}
