package org.sparkrdma.bench.jobs;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.ToDoubleFunction;
import org.knowm.xchart.BitmapEncoder;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategoryChartBuilder;
import org.knowm.xchart.style.Styler;
import org.sparkrdma.bench.Spread;

/** Draws medians, one chart below the other, with a bar of each side for each job. */
final class JobsChart {

  private JobsChart() {}

  /** Writes a PNG. */
  static void write(JobRuns runs, Path file) throws IOException {
    List<CategoryChart> charts =
        List.of(
            draw(runs, "Job, wall", JobRun::seconds),
            draw(runs, "Job, executors' CPU", JobRun::cpuSeconds),
            draw(runs, "Reduce stages, wall", JobRun::reduceSeconds),
            draw(runs, "Reduce stages, executors' CPU", JobRun::reduceCpuSeconds));
    BitmapEncoder.saveBitmap(
        charts, charts.size(), 1, file.toString(), BitmapEncoder.BitmapFormat.PNG);
  }

  /** The bars' lines go up and down by the larger half of the spread. */
  private static CategoryChart draw(JobRuns runs, String title, ToDoubleFunction<JobRun> value) {
    List<JobPlan> plans = runs.plans();
    CategoryChart chart =
        new CategoryChartBuilder()
            .width(Math.max(800, 140 * plans.size()))
            .height(320)
            .title(title)
            .yAxisTitle("s")
            .build();
    // Outside, where it covers no bar.
    chart.getStyler().setLegendPosition(Styler.LegendPosition.OutsideE);
    chart.getStyler().setYAxisMin(0.0);
    for (Side side : Side.values()) {
      List<Spread> spreads =
          plans.stream().map(plan -> Spread.of(runs.values(plan, side, value))).toList();
      chart.addSeries(
          side.label(),
          plans.stream().map(JobPlan::label).toList(),
          spreads.stream().map(Spread::median).toList(),
          spreads.stream()
              .map(one -> Math.max(one.most() - one.median(), one.median() - one.least()))
              .toList());
    }
    return chart;
  }
}
