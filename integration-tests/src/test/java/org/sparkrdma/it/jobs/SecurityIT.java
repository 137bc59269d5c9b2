package org.sparkrdma.it.jobs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.spark.shuffle.rdma.Stranger;
import org.apache.spark.shuffle.rdma.fabric.FabricException.Kind;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sparkrdma.it.cluster.ClusterOptions;
import org.sparkrdma.it.cluster.SparkHome;
import org.sparkrdma.it.cluster.StandaloneCluster;
import scala.Tuple2;

/**
 * What spark.authenticate and the keys for an encrypted wire do, on a cluster that has a secret.
 */
final class SecurityIT {

  private static final String SECRET = "the cluster's own secret";
  private static final Map<String, String> AUTHENTICATED =
      Map.of("spark.authenticate", "true", "spark.authenticate.secret", SECRET);
  private static final Set<Job> JOBS = EnumSet.of(Job.REDUCE_BY_KEY, Job.SORT_BY_KEY);
  private static final String OFF = "Plain sort shuffle without RDMA: spark.network.crypto.enabled";

  @SuppressWarnings("NullAway.Init")
  private static StandaloneCluster cluster;

  @SuppressWarnings("NullAway.Init")
  private static Map<Job, List<String>> expected;

  @BeforeAll
  static void startCluster() throws Exception {
    expected = SameRowsIT.rowsBySortShuffle(JOBS);
    cluster =
        StandaloneCluster.start(
            SparkHome.ofBuild(),
            ClusterOptions.ofWorkers(2).withMemoryPerWorkerMb(1536).withConf(AUTHENTICATED));
  }

  @AfterAll
  static void stopCluster() throws IOException {
    // Null if it didn't start, whose reason is what counts.
    if (cluster != null) {
      cluster.close();
    }
  }

  private static TestApplication start(String... settings) throws Exception {
    Map<String, String> conf = new HashMap<>(AUTHENTICATED);
    conf.put("spark.master", cluster.masterUrl());
    for (int i = 0; i < settings.length; i += 2) {
      conf.put(settings[i], settings[i + 1]);
    }
    return TestApplication.withRdma(conf);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void withTheApplicationsSecretEveryBlockComesByRead(boolean direct) throws Exception {
    try (TestApplication application =
        start("spark.shuffle.rdma.sameHostDirect", Boolean.toString(direct))) {
      SameRowsIT.check(application, JOBS, expected);
      Map<String, Long> counters = application.counters();
      assertEquals(
          counters.get("read-blocks"),
          counters.get(direct ? "read-blocks-direct" : "read-blocks-tcp"));
    }
  }

  @Test
  void whoKnowsTheAddressesAndNotTheSecretIsLetInNowhere() throws Exception {
    try (TestApplication application =
        start(
            "spark.shuffle.rdma.sameHostDirect", "false", "spark.io.encryption.enabled", "true")) {
      var sums = Job.pairs(application, 1000).reduceByKey(Integer::sum, 7);
      assertEquals(1000, sums.map(Tuple2::toString).collect().size());
      List<byte[]> addresses =
          Stranger.addresses(TestApplication.shuffleOf(sums.rdd()).shuffleId());
      assertEquals(2, addresses.size());
      for (byte[] address : addresses) {
        assertEquals(
            Optional.of(Kind.AUTHENTICATION_FAILED), Stranger.refusal(address, "another secret"));
        assertEquals(Optional.of(Kind.AUTHENTICATION_FAILED), Stranger.refusal(address, null));
        assertEquals(Optional.empty(), Stranger.refusal(address, SECRET));
      }
      // They go on serving those who belong there.
      SameRowsIT.check(application, JOBS, expected);
    }
  }

  @Test
  void whereTheWireIsToBeEncryptedReadsAreOffAndOneLineSaysSo() throws Exception {
    try (TestApplication application = start("spark.network.crypto.enabled", "true")) {
      for (Job job : JOBS) {
        assertEquals(expected.get(job), job.apply(application));
      }
      assertTrue(application.sparkReads().remoteBlocks.get() > 0, "nothing was remote");
      assertFalse(application.manager().isActive());
      assertEquals(Map.of(), application.counters());
      for (Path log : executorLogs(application.context.sc().applicationId())) {
        List<String> lines =
            Files.readAllLines(log, StandardCharsets.UTF_8).stream()
                .filter(line -> line.contains("Plain sort shuffle"))
                .toList();
        assertEquals(1, lines.size(), lines::toString);
        assertTrue(lines.getFirst().contains(OFF), lines::toString);
        assertTrue(lines.getFirst().contains("spark.shuffle.rdma.allowUnencrypted"));
      }
    }
  }

  @Test
  void whoAllowsUnencryptedReadsGetsThem() throws Exception {
    try (TestApplication application =
        start(
            "spark.network.crypto.enabled",
            "true",
            "spark.shuffle.rdma.allowUnencrypted",
            "true")) {
      SameRowsIT.check(application, JOBS, expected);
    }
  }

  private static List<Path> executorLogs(String application) throws IOException {
    try (Stream<Path> files = Files.walk(cluster.directory().resolve("work"))) {
      List<Path> logs =
          files
              .filter(file -> file.endsWith("stderr") && file.toString().contains(application))
              .toList();
      assertEquals(2, logs.size(), logs::toString);
      return logs;
    }
  }
}
