package org.sparkrdma.it.jobs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.sparkrdma.it.cluster.ClusterOptions;
import org.sparkrdma.it.cluster.SparkHome;
import org.sparkrdma.it.cluster.StandaloneCluster;
import org.sparkrdma.it.jobs.TestApplication.Reading;

/** The external shuffle service of a standalone worker: map outputs outlive their executors. */
@EnabledIfSystemProperty(
    named = "rdma.extended",
    matches = "true",
    disabledReason = "it takes a minute: mvn verify -Pextended runs it")
final class ShuffleServiceIT {

  private static final SeededShuffle SHUFFLE = new SeededShuffle(16, 4, 48 << 10);

  @TempDir private Path folder;

  @Test
  void outputsOfExecutorsThatLeftComeFromTheServiceAndTheOthersByRead() throws Exception {
    Map<String, String> service =
        Map.of(
            "spark.shuffle.service.enabled",
            "true",
            "spark.shuffle.service.port",
            Integer.toString(freePort()));
    // One worker for both executors: its service's port is one of the machine's.
    ClusterOptions options =
        ClusterOptions.ofWorkers(1)
            .withCoresPerWorker(2)
            .withMemoryPerWorkerMb(3072)
            .withConf(service);
    Map<String, String> conf = OwnerAndReader.conf("direct");
    conf.putAll(service);
    try (StandaloneCluster cluster = StandaloneCluster.start(SparkHome.ofBuild(), options)) {
      conf.put("spark.master", cluster.masterUrl());
      try (TestApplication application = TestApplication.withRdma(conf)) {
        Leftovers leftovers = new Leftovers(application);
        anExecutorLeaves(application);
        leftovers.assertNone();
      }
    }
  }

  private void anExecutorLeaves(TestApplication application) throws Exception {
    try (OwnerAndReader two = new OwnerAndReader(application, SHUFFLE, folder)) {
      Reading before = application.run(ignored -> SeededShuffle.sums(two.pieces));
      SameRowsIT.assertAllByRead(before, "with the service and both executors");
      long mapTasks = application.sparkReads().mapTasks.get();
      Reading during =
          two.read(
              "External shuffle service: executor killed (SIGKILL) while another reads from it",
              "direct",
              "same rows, from the service, and no map task runs again",
              two.owner::kill);
      check(during);
      application.awaitExecutors();
      Reading after =
          two.readOnBoth(
              "External shuffle service: the executor was replaced",
              "direct",
              "same rows: outputs of executors alive by READ, the others from the service");
      check(after);
      assertEquals(mapTasks, application.sparkReads().mapTasks.get(), "map tasks ran again");
    }
  }

  private static void check(Reading reading) {
    assertTrue(reading.readBlocks() > 0, reading::toString);
    assertFalse(reading.tcpBlocks().isEmpty(), reading::toString);
    assertTrue(FaultsIT.AFTER_A_KILL.containsAll(reading.tcpBlocks().keySet()), reading::toString);
    assertEquals(0, reading.fetchFailures(), reading::toString);
  }

  private static int freePort() throws java.io.IOException {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }
}
