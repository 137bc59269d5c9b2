package org.sparkrdma.bench.jobs;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;
import org.apache.spark.ContextCleaner;
import org.apache.spark.MapOutputTrackerMaster;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;
import org.sparkrdma.it.terasort.ManagerCounters;
import org.sparkrdma.it.terasort.Report;
import scala.jdk.javaapi.CollectionConverters;

/**
 * The application of one side: {@code JobsApp FOLDER EXECUTORS} runs jobs as they are asked for by
 * the {@link Mailbox} of that folder, each as a job group, and ends at a request without a
 * workload. Its executors run on this machine.
 */
public final class JobsApp {

  static final String WORKLOAD = "workload";
  static final String SHAPE = "shape";
  static final String BYTES = "bytes";
  static final String GROUP = "group";
  static final String CPU_MILLIS = "cpu-millis";

  /** With a stage's id after it. */
  static final String STAGE_CPU_MILLIS = "stage-cpu-millis.";

  private final SparkSession spark;
  private final ProcessCpu executors;
  private final StageListener stages;
  private Map<String, Long> counters = ManagerCounters.now();

  private JobsApp(SparkSession spark, int count) {
    this.spark = spark;
    this.executors = executors(spark, count);
    this.stages = new StageListener(executors);
    spark.sparkContext().addSparkListener(stages);
  }

  public static void main(String[] arguments)
      throws IOException, InterruptedException, TimeoutException {
    Mailbox mailbox = new Mailbox(Path.of(arguments[0]));
    try (SparkSession spark = SparkSession.builder().getOrCreate()) {
      JobsApp app = new JobsApp(spark, Integer.parseInt(arguments[1]));
      int number = 1;
      while (true) {
        Optional<Report> request = mailbox.request(number);
        if (request.isEmpty()) {
          Thread.sleep(Mailbox.POLL_MILLIS);
        } else if (request.get().values().containsKey(WORKLOAD)) {
          mailbox.answer(number, app.run(request.get()));
          number++;
        } else {
          return;
        }
      }
    }
  }

  /** Asks each executor for its process. */
  private static ProcessCpu executors(SparkSession spark, int count) {
    // The first tasks of a stage are spread over all free executors.
    int tasks = 4 * count;
    List<Long> pids =
        JavaSparkContext.fromSparkContext(spark.sparkContext())
            .parallelize(IntStream.range(0, tasks).boxed().toList(), tasks)
            .map(_ -> ProcessHandle.current().pid())
            .collect()
            .stream()
            .distinct()
            .toList();
    if (pids.size() != count) {
      throw new IllegalStateException(pids.size() + " executors instead of " + count);
    }
    return new ProcessCpu(pids);
  }

  private Map<String, String> run(Report request) throws InterruptedException, TimeoutException {
    JobWorkload workload = JobWorkload.of(request.text(WORKLOAD));
    Shape shape = Shape.of(request.text(SHAPE));
    long bytes = request.number(BYTES);
    String group = request.text(GROUP);
    spark.sparkContext().setJobGroup(group, group, false);
    long cpu = executors.millis();
    long start = System.nanoTime();
    Outcome outcome = workload.run(spark, shape, bytes);
    double seconds = (System.nanoTime() - start) / 1e9;
    cpu = executors.millis() - cpu;
    spark.sparkContext().clearJobGroup();
    spark.sparkContext().listenerBus().waitUntilEmpty();

    Map<String, String> values = new TreeMap<>();
    values.put(Report.SECONDS, String.format(Locale.ROOT, "%.3f", seconds));
    values.put(CPU_MILLIS, Long.toString(cpu));
    values.put(Report.RECORDS, Long.toString(outcome.totals().records()));
    values.put(Report.CHECKSUM, Long.toString(outcome.totals().checksum()));
    values.put(Report.PROBLEMS, String.join("; ", outcome.problems()));
    stages
        .takeMillis()
        .forEach((stage, millis) -> values.put(STAGE_CPU_MILLIS + stage, millis.toString()));
    Map<String, Long> now = ManagerCounters.await(stages.remoteBlocks());
    now.forEach(
        (label, value) ->
            values.put(
                Report.COUNTER + label, Long.toString(value - counters.getOrDefault(label, 0L))));
    counters = now;
    dropShuffles();
    return values;
  }

  /**
   * Removes the shuffles' files now. Spark's own cleaner waits for a collection of the driver's
   * garbage, and the disk would be busy with the files of the side before.
   */
  private void dropShuffles() {
    MapOutputTrackerMaster tracker = (MapOutputTrackerMaster) SparkEnv.get().mapOutputTracker();
    ContextCleaner cleaner = spark.sparkContext().cleaner().get();
    CollectionConverters.asJava(tracker.shuffleStatuses().keySet())
        .forEach(shuffle -> cleaner.doCleanupShuffle((Integer) shuffle, true));
  }
}
