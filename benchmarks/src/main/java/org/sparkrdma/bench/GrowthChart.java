package org.sparkrdma.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.knowm.xchart.BitmapEncoder;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.style.Styler;

/** Draws figures against the size of the work, both logarithmic: what grows alike is a slope. */
final class GrowthChart {

  private static final int COLUMNS = 3;
  private static final int WIDTH = 500;
  private static final int HEIGHT = 350;

  private GrowthChart() {}

  /** Writes a PNG with a small chart of each series that has two sizes or more. */
  static void write(Growth growth, Path file) throws IOException {
    List<XYChart> charts = new ArrayList<>();
    Set<String> names = new LinkedHashSet<>();
    growth.rows().forEach(row -> names.add(row.grown().series()));
    for (String series : names) {
      List<Growth.Row> rows =
          growth.rows().stream().filter(row -> row.grown().series().equals(series)).toList();
      if (rows.stream().mapToDouble(row -> row.grown().size()).distinct().count() > 1) {
        charts.add(draw(growth, series, rows));
      }
    }
    if (charts.isEmpty()) {
      throw new IOException("nothing was measured at two sizes");
    }
    int columns = Math.min(COLUMNS, charts.size());
    while (charts.size() % columns != 0) {
      // The encoder wants full rows.
      charts.add(new XYChartBuilder().width(WIDTH).height(HEIGHT).build());
    }
    BitmapEncoder.saveBitmap(
        charts, charts.size() / columns, columns, file.toString(), BitmapEncoder.BitmapFormat.PNG);
  }

  private static XYChart draw(Growth growth, String series, List<Growth.Row> rows) {
    String unit = rows.getFirst().grown().compared().unit();
    XYChart chart =
        new XYChartBuilder()
            .width(WIDTH)
            .height(HEIGHT)
            .title(growth.name() + "." + series)
            .xAxisTitle(growth.sizeTitle())
            .yAxisTitle(unit)
            .build();
    chart.getStyler().setXAxisLogarithmic(true);
    chart.getStyler().setYAxisLogarithmic(true);
    chart.getStyler().setLegendPosition(Styler.LegendPosition.OutsideS);
    chart.getStyler().setLegendLayout(Styler.LegendLayout.Horizontal);
    for (String side : rows.stream().map(Growth.Row::side).distinct().toList()) {
      List<Growth.Row> line = rows.stream().filter(row -> row.side().equals(side)).toList();
      chart.addSeries(
          side,
          line.stream().map(row -> row.grown().size()).toList(),
          // A logarithm of 0 can't be drawn.
          line.stream().map(row -> Math.max(row.values().median(), 0.001)).toList());
    }
    return chart;
  }
}
