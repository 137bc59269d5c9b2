package org.sparkrdma.it.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIfEnvironmentVariable;

/**
 * Spark jobs over RDMA, {@code VerbsJobsIT}, in the test kernel: a driver and two executors. They
 * are a local-cluster, since a master's and workers' processes would take minutes to start there.
 */
@DisabledIfEnvironmentVariable(
    named = "RDMA_TEST_ADDRESS",
    matches = ".+",
    disabledReason = "VerbsJobsIT itself had this device")
final class KernelJobsIT {

  private static final Duration TIMEOUT = Duration.ofMinutes(40);

  /** Not the one with a kill, whose further executors take five minutes to start there. */
  private static final String TEST = "theRowsAreTheSameAndEveryRemoteBlockComesByRdma";

  private static final List<String> PROPERTIES =
      List.of("sparkrdma.it.workloadsJar", "sparkrdma.it.testsJar", "sparkrdma.it.shuffleJar");

  @Test
  void jobsReadEveryRemoteBlockByRdmaOnBothDrivers() throws Exception {
    List<String> arguments =
        new ArrayList<>(List.of("--timeout", "1800", "--driver", "rxe", "--driver", "siw", "--"));
    // A SPARK_HOME in which executors' folders can be made: this file system is read-only there.
    arguments.addAll(
        List.of(
            "bash",
            "-c",
            "mkdir /tmp/spark && ln -s \"$0/jars\" /tmp/spark/jars && exec env \"$@\"",
            String.valueOf(System.getProperty("sparkrdma.it.sparkHome"))));
    arguments.add("SPARK_HOME=/tmp/spark");
    arguments.add("SPARK_SCALA_VERSION=2.13");
    arguments.add("SPARK_LOCAL_IP=10.77.0.1");
    arguments.add("SPARK_LOCAL_HOSTNAME=10.77.0.1");
    arguments.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    arguments.add("-Xmx768m");
    // As this JVM has them for Spark: --add-opens and the like.
    ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
        .filter(argument -> argument.startsWith("--"))
        .forEach(arguments::add);
    for (String property : PROPERTIES) {
      arguments.add("-D" + property + "=" + System.getProperty(property));
    }
    arguments.add("-Dsparkrdma.it.master=local-cluster[2,1,1024]");
    arguments.add("-cp");
    arguments.add(Objects.requireNonNull(System.getProperty("surefire.test.class.path")));
    arguments.addAll(
        List.of(
            "org.junit.platform.console.ConsoleLauncher",
            "execute",
            "--disable-banner",
            "--disable-ansi-colors",
            "--select-method",
            "org.sparkrdma.it.jobs.VerbsJobsIT#" + TEST,
            "--details=testfeed",
            "--fail-if-no-tests"));
    TestKernel.Result result = TestKernel.run("jobs", TIMEOUT, arguments);
    assertEquals(0, result.exitStatus(), result::toString);
    long reports = result.lines().stream().filter(line -> line.contains("by RDMA: {")).count();
    assertEquals(2, reports, result::toString);
  }
}
