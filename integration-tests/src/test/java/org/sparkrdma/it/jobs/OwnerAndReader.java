package org.sparkrdma.it.jobs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.JavaPairRDD;
import org.jspecify.annotations.Nullable;
import org.sparkrdma.it.jobs.SeededShuffle.Piece;
import org.sparkrdma.it.jobs.TestApplication.Reading;

/**
 * Two executors that have written a shuffle. One, the owner, is kept busy; so it's the other one
 * that runs the reducers, and reads the owner's blocks one after another. In the middle of it
 * something may happen.
 */
final class OwnerAndReader implements AutoCloseable {

  private static final long DEADLINE_SECONDS = 300;

  final ExecutorProcess owner;
  final ExecutorProcess reader;
  final JavaPairRDD<Integer, Piece> pieces;

  private final TestApplication application;
  private final SeededShuffle shuffle;
  private final Path folder;
  private final OccupiedExecutor occupied;

  /** What happens to the cluster. */
  interface Fault {
    void happen() throws Exception;
  }

  /**
   * Settings by which blocks are asked for one after another, what was retired is released soon,
   * and pauses and Spark's own retries are short.
   *
   * @param way between executors of one host: direct, or tcp for the software fabric's TCP way
   */
  static Map<String, String> conf(String way) {
    Map<String, String> conf = new HashMap<>();
    conf.put("spark.shuffle.rdma.sameHostDirect", Boolean.toString(way.equals("direct")));
    conf.put("spark.reducer.maxReqsInFlight", "1");
    conf.put("spark.reducer.maxBlocksInFlightPerAddress", "1");
    conf.put("spark.shuffle.rdma.leaseMillis", "50");
    conf.put("spark.shuffle.rdma.readTimeoutMillis", "1000");
    conf.put("spark.shuffle.rdma.backoffMillis", "200");
    conf.put("spark.shuffle.io.retryWait", "200ms");
    return conf;
  }

  /**
   * Writes the shuffle, reads it once, and makes the owner busy.
   *
   * @param folder where files that tasks wait for may be made
   */
  OwnerAndReader(TestApplication application, SeededShuffle shuffle, Path folder) throws Exception {
    this.application = application;
    this.shuffle = shuffle;
    this.folder = folder;
    List<ExecutorProcess> executors = application.executors();
    owner = executors.getFirst();
    reader = executors.getLast();
    pieces = shuffle.shuffled(application);
    assertEquals(shuffle.expected(), SeededShuffle.sums(pieces));
    occupied = new OccupiedExecutor(application, owner.id(), latch());
  }

  /** The owner's part of the shuffle, as files. */
  List<Path> ownersFiles() throws IOException {
    return owner.dataFiles(TestApplication.shuffleOf(pieces.rdd()).shuffleId());
  }

  FileLatch latch() throws IOException {
    return new FileLatch(Files.createTempDirectory(folder, "latch").toString());
  }

  /**
   * Reads the shuffle, and wants the right rows. Once a reducer has a block of the owner's, with
   * most others not asked for, it waits until the fault has happened. {@link FaultTable} gets a
   * row.
   */
  Reading read(String name, String way, String expected, Fault fault) throws Exception {
    FileLatch latch = latch();
    FutureTask<Void> happening = new FutureTask<>(() -> happen(fault, latch));
    Thread.ofPlatform().name("fault").start(happening);
    Reading reading = application.run(ignored -> SeededShuffle.sums(pieces, pause(latch)));
    happening.get(DEADLINE_SECONDS, TimeUnit.SECONDS);
    FaultTable.add(name, way, expected, reading, shuffle.expected());
    assertEquals(shuffle.expected(), reading.rows());
    return reading;
  }

  private @Nullable Void happen(Fault fault, FileLatch latch) throws Exception {
    try {
      latch.await(reader.id());
      fault.happen();
    } finally {
      latch.open();
    }
    return null;
  }

  /** Reads the shuffle without a further fault, on both executors, for the page of faults. */
  Reading readOnBoth(String name, String way, String expected) throws Exception {
    occupied.close();
    Reading reading = application.run(ignored -> SeededShuffle.sums(pieces));
    FaultTable.add(name, way, expected, reading, shuffle.expected());
    assertEquals(shuffle.expected(), reading.rows());
    return reading;
  }

  /** A reducer's step that waits at the first block of another executor. */
  static SeededShuffle.Step pause(FileLatch latch) {
    return piece -> {
      String here = SparkEnv.get().executorId();
      if (!piece.writer().equals(here)) {
        latch.arrive(here);
      }
    };
  }

  /**
   * Lets the owner go, and ends the shuffle once Spark knows all executors again: after a fetch
   * failure it forgets the owner until a heartbeat, and would tell it of no shuffle's end.
   */
  @Override
  public void close() throws IOException {
    occupied.close();
    application.awaitExecutors();
    application.cleanUp(pieces.rdd());
  }
}
