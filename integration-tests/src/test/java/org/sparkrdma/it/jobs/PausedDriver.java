package org.sparkrdma.it.jobs;

import java.io.IOException;
import java.io.ObjectOutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.JavaPairRDD;
import org.sparkrdma.it.jobs.SeededShuffle.Piece;
import org.sparkrdma.it.jobs.TestApplication.Reading;
import scala.Tuple2;

/**
 * The driver that {@code DriverPauseIT} stops, by spark-submit: {@code UNKNOWN KNOWN BUSY REPORT}.
 * One executor reads twice what another one and itself have written, each time in one task that
 * first waits at a latch (folders UNKNOWN and KNOWN), and says there when it has read all. The
 * first time, it doesn't know the other's locations yet. REPORT gets both readings.
 */
public final class PausedDriver {

  static final SeededShuffle SHUFFLE = new SeededShuffle(16, 4, 48 << 10);

  /** What arrives at a latch: the task, before and after its reading. */
  static final String READY = "ready";

  static final String DONE = "done";

  private PausedDriver() {}

  public static void main(String[] arguments) throws Exception {
    List<Reading> readings = new ArrayList<>();
    try (TestApplication application = TestApplication.submitted()) {
      ExecutorProcess owner = application.executors().getFirst();
      JavaPairRDD<Integer, Piece> pieces = SHUFFLE.shuffled(application);
      writeOutputs(application, TestApplication.shuffleOf(pieces.rdd()));
      try (var _ = new OccupiedExecutor(application, owner.id(), new FileLatch(arguments[2]))) {
        askSparkForOutputs(application, TestApplication.shuffleOf(pieces.rdd()).shuffleId());
        readings.add(read(application, pieces, new FileLatch(arguments[0])));
        bringLocations(application, pieces);
        readings.add(read(application, pieces, new FileLatch(arguments[1])));
      }
    }
    write(readings, Path.of(arguments[3]));
  }

  /** Runs the map tasks alone. */
  private static void writeOutputs(
      TestApplication application, ShuffleDependency<?, ?, ?> dependency) throws Exception {
    application.context.sc().submitMapStage(dependency).get();
  }

  /** Spark's own knowledge of the map outputs, which a reader would else want from the driver. */
  private static void askSparkForOutputs(TestApplication application, int shuffleId) {
    application
        .context
        .parallelize(List.of(1), 1)
        .foreach(
            i -> {
              var _ = SparkEnv.get().mapOutputTracker().getMapSizesByExecutorId(shuffleId, 0);
            });
  }

  /** Reads until all blocks come by READ: a lookup may have timed out, or be late. */
  private static void bringLocations(
      TestApplication application, JavaPairRDD<Integer, Piece> pieces) throws Exception {
    int tries = 0;
    while (!application.run(ignored -> SeededShuffle.sums(pieces)).tcpBlocks().isEmpty()) {
      if (++tries == 20) {
        throw new IllegalStateException("locations don't come");
      }
    }
  }

  /** One task that goes through partitions of waiting, reading and having read. */
  private static Reading read(
      TestApplication application, JavaPairRDD<Integer, Piece> pieces, FileLatch latch)
      throws Exception {
    JavaPairRDD<Integer, Piece> waits =
        application.context.parallelize(List.of(1), 1).mapToPair(i -> arrive(latch));
    JavaPairRDD<Integer, Piece> hasRead =
        application.context.parallelize(List.of(1), 1).mapToPair(i -> mark(latch));
    JavaPairRDD<Integer, Piece> all = waits.union(pieces).union(hasRead).coalesce(1);
    return application.run(ignored -> SeededShuffle.sums(all));
  }

  private static Tuple2<Integer, Piece> arrive(FileLatch latch)
      throws IOException, InterruptedException {
    latch.arrive(READY);
    return nothing();
  }

  private static Tuple2<Integer, Piece> mark(FileLatch latch) throws IOException {
    latch.mark(DONE);
    return nothing();
  }

  /** It changes no sum of checksums. */
  private static Tuple2<Integer, Piece> nothing() {
    return new Tuple2<>(0, new Piece("", new byte[0]));
  }

  private static void write(List<Reading> readings, Path report) throws IOException {
    try (var out = new ObjectOutputStream(Files.newOutputStream(report))) {
      out.writeObject(new ArrayList<>(readings));
    }
  }
}
