package org.sparkrdma.it.jobs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;
import org.junit.jupiter.api.io.TempDir;
import org.sparkrdma.it.conf.ConfFile;
import org.sparkrdma.it.terasort.RecordFiles;
import org.sparkrdma.it.terasort.TeraSort;
import org.sparkrdma.it.terasort.Totals;

/**
 * Jobs whose blocks come by RDMA, on a device of this machine's. {@code KernelJobsIT} runs the
 * rows, not the kill, on the test kernel's.
 */
@EnabledIfEnvironmentVariable(
    named = "RDMA_TEST_ADDRESS",
    matches = ".+",
    disabledReason = "no device's address; KernelJobsIT runs the rows in the test kernel")
final class VerbsJobsIT {

  private static final Map<String, String> VERBS = Map.of("spark.shuffle.rdma.fabric", "verbs");
  private static final int PARTITIONS = 8;

  @TempDir private Path files;

  @Test
  void theRowsAreTheSameAndEveryRemoteBlockComesByRdma() throws Exception {
    Map<String, String> conf = new HashMap<>(SameRowsIT.ADAPTIVE);
    conf.putAll(linesOfConf());
    var expected = SameRowsIT.rowsBySortShuffle(jobs());
    try (TestApplication application = TestApplication.withRdma(conf)) {
      SameRowsIT.check(application, jobs(), expected);
      SameRowsIT.assertAllByRead(application.run(this::teraSort), "TeraSort");
      Map<String, Long> counters = application.counters();
      System.out.println("by RDMA: " + counters);
      assertEquals(counters.get("read-blocks"), counters.get("read-blocks-verbs"));
    }
  }

  /** What users copy for such a network. Of the three files, InfiniBand's fits any device. */
  private static Map<String, String> linesOfConf() {
    String network =
        switch (System.getenv().getOrDefault("RDMA_TEST_DRIVER", "")) {
          case "rxe" -> "roce";
          case "siw" -> "iwarp";
          default -> "infiniband";
        };
    Map<String, String> lines = ConfFile.settings("spark-defaults-" + network + ".conf");
    // Where it is, the reader of the file fills in.
    lines.remove("spark.jars");
    return lines;
  }

  /** All, but not thousands of tasks in the test kernel, where that takes minutes. */
  private static Set<Job> jobs() {
    return System.getenv("RDMA_TEST_DRIVER") == null
        ? EnumSet.allOf(Job.class)
        : EnumSet.complementOf(EnumSet.of(Job.TWO_THOUSAND_REDUCERS));
  }

  /** Generates, sorts and validates. */
  private List<String> teraSort(TestApplication application) {
    TeraSort job = new TeraSort(application.context);
    RecordFiles input = new RecordFiles(files.resolve("input").toUri().toString());
    RecordFiles output = new RecordFiles(files.resolve("output").toUri().toString());
    Totals written = job.generate(input, PARTITIONS, 20_000, 1);
    assertEquals(written, job.sort(input, PARTITIONS, output, PARTITIONS));
    assertEquals(List.of(), job.validate(output, PARTITIONS, written));
    return List.of();
  }

  @Test
  void aStageIsRetriedAfterItsExecutorWasKilled() throws Exception {
    FaultsIT.killAnExecutor(VERBS, "verbs");
  }
}
