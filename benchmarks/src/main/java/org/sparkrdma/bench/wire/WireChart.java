package org.sparkrdma.bench.wire;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.knowm.xchart.BitmapEncoder;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategoryChartBuilder;
import org.knowm.xchart.style.Styler;

/** Draws the ratios beside what they should be. */
final class WireChart {

  private WireChart() {}

  /** Writes a PNG. The bars' lines go up and down by the larger half of the spread. */
  static void write(WireResult result, Path file) throws IOException {
    List<WireResult.Row> rows = result.rows();
    List<String> names = rows.stream().map(row -> row.wireCase().label()).toList();
    CategoryChart chart =
        new CategoryChartBuilder()
            .width(800)
            .height(500)
            .title("Reads by " + result.link() + ": ours / perftest")
            .yAxisTitle("ratio (bandwidth: more is better; latency: less)")
            .build();
    chart.getStyler().setLegendPosition(Styler.LegendPosition.InsideNW);
    chart.getStyler().setYAxisMin(0.0);
    chart.addSeries(
        "measured (median)",
        names,
        rows.stream().map(row -> row.ratio().median()).toList(),
        rows.stream().map(WireChart::halfSpread).toList());
    chart.addSeries("aim", names, rows.stream().map(row -> row.wireCase().aim()).toList());
    BitmapEncoder.saveBitmap(chart, file.toString(), BitmapEncoder.BitmapFormat.PNG);
  }

  private static Double halfSpread(WireResult.Row row) {
    Spread ratio = row.ratio();
    return Math.max(ratio.most() - ratio.median(), ratio.median() - ratio.least());
  }
}
