package org.sparkrdma.bench.hibench;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.ToDoubleFunction;
import org.knowm.xchart.BitmapEncoder;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategoryChartBuilder;
import org.knowm.xchart.style.Styler;

/** Draws medians, one chart below the other, with a pair of bars for each workload. */
final class ChartReport {

  private ChartReport() {}

  /** Writes a PNG. */
  static void write(Measurements measurements, Path file) throws IOException {
    List<CategoryChart> charts =
        List.of(
            draw(measurements, "Duration", "s", Measurement::seconds),
            draw(measurements, "Shuffle bytes written", "MB", Measurement::shuffleMegabytes),
            draw(
                measurements,
                "Share of remote blocks that came by READ",
                "of 1",
                one -> one.readShare().orElse(0)),
            draw(measurements, "Fetch wait, all tasks", "s", Measurement::fetchWaitSeconds),
            draw(measurements, "Executor CPU, all tasks", "s", Measurement::cpuSeconds));
    BitmapEncoder.saveBitmap(
        charts, charts.size(), 1, file.toString(), BitmapEncoder.BitmapFormat.PNG);
  }

  private static CategoryChart draw(
      Measurements measurements, String title, String unit, ToDoubleFunction<Measurement> value) {
    CategoryChart chart =
        new CategoryChartBuilder().width(900).height(320).title(title).yAxisTitle(unit).build();
    // Outside, where it covers no bar.
    chart.getStyler().setLegendPosition(Styler.LegendPosition.OutsideE);
    chart.getStyler().setYAxisMin(0.0);
    List<String> workloads = measurements.workloads();
    for (Manager manager : Manager.values()) {
      chart.addSeries(
          manager.label(),
          workloads,
          workloads.stream()
              .map(workload -> finite(measurements.median(workload, manager, value)))
              .toList());
    }
    return chart;
  }

  private static Double finite(double value) {
    return Double.isFinite(value) ? value : 0.0;
  }
}
