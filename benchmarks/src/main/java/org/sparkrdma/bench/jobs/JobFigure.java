package org.sparkrdma.bench.jobs;

import java.util.List;
import java.util.Optional;
import java.util.function.ToDoubleFunction;
import org.sparkrdma.bench.Aim;

/**
 * A figure of a job that is compared, in seconds: less is better.
 *
 * @param label its end in RATIO lines
 * @param name in tables
 */
record JobFigure(String label, String name, ToDoubleFunction<JobRun> value) {

  private static final double WALL = 1.02;

  static final List<JobFigure> ALL =
      List.of(
          new JobFigure("wall", "job, wall", JobRun::seconds),
          new JobFigure("cpu", "job, executors' CPU", JobRun::cpuSeconds),
          new JobFigure("task_cpu", "job, tasks' CPU", JobRun::taskCpuSeconds),
          new JobFigure("reduce_wall", "reduce, wall", JobRun::reduceSeconds),
          new JobFigure("reduce_cpu", "reduce, executors' CPU", JobRun::reduceCpuSeconds),
          new JobFigure("reduce_task_cpu", "reduce, tasks' CPU", JobRun::reduceTaskCpuSeconds));

  /** What ours over Spark's TCP should be; empty where the ratio is only told. */
  Optional<Aim> aim(Shape shape) {
    return ratioAim(shape).map(ratio -> new Aim(false, ratio));
  }

  private Optional<Double> ratioAim(Shape shape) {
    boolean middle = shape.equals(new Shape(128, 128));
    boolean small = shape.equals(new Shape(512, 512));
    return switch (label) {
      case "wall" -> Optional.of(WALL);
      case "reduce_wall" ->
          middle ? Optional.of(0.80) : small ? Optional.of(0.50) : Optional.empty();
      case "reduce_cpu" ->
          middle ? Optional.of(0.80) : small ? Optional.of(0.45) : Optional.empty();
      default -> Optional.empty();
    };
  }
}
