package org.sparkrdma.it.jobs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import org.apache.spark.api.java.JavaPairRDD;
import org.sparkrdma.it.jobs.SeededShuffle.Piece;
import org.sparkrdma.it.jobs.TestApplication.Reading;

/** What faults may leave behind in an application's executors: made before them, asked after. */
final class Leftovers {

  private static final long DEADLINE_MILLIS = 120_000;

  /** Its outputs are mapped, not copied. */
  private static final SeededShuffle PLAIN = new SeededShuffle(4, 2, 48 << 10);

  private final TestApplication application;
  private final Map<Long, ExecutorResources> before;

  /** Looks at what there is now. */
  Leftovers(TestApplication application) {
    this.application = application;
    before = ExecutorResources.all(application);
  }

  /**
   * All shuffles have ended. Then executors must have given back what they took, and the next
   * shuffle's blocks must come by READ, at the latest when the pauses of failed peers are over.
   */
  void assertNone() throws Exception {
    application.awaitExecutors();
    long deadline = System.currentTimeMillis() + DEADLINE_MILLIS;
    while (!readAnother().tcpBlocks().isEmpty()) {
      assertTrue(System.currentTimeMillis() < deadline, "blocks still go by TCP");
    }
    ExecutorResources.assertNothingLeft(before, ExecutorResources.awaitReleased(application));
    // What executors report when they have run one more: its outputs alone are registered.
    JavaPairRDD<Integer, Piece> last = PLAIN.shuffled(application);
    SameRowsIT.assertAllByRead(application.run(ignored -> SeededShuffle.sums(last)), "afterwards");
    assertEquals(PLAIN.maps(), application.counters().getOrDefault("regions-live", -1L));
    assertEquals(0, application.counters().getOrDefault("pool-bytes-in-use", -1L));
  }

  private Reading readAnother() throws Exception {
    JavaPairRDD<Integer, Piece> another = PLAIN.shuffled(application);
    Reading reading = application.run(ignored -> SeededShuffle.sums(another));
    assertEquals(PLAIN.expected(), reading.rows());
    application.cleanUp(another.rdd());
    return reading;
  }
}
