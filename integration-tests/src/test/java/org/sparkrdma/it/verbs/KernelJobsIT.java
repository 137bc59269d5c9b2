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
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * Spark jobs over RDMA, {@code VerbsJobsIT} and {@code MemoryIT}, in the test kernel: a driver and
 * two executors. They are a local-cluster, since a master's and workers' processes would take
 * minutes to start there.
 */
@DisabledIfEnvironmentVariable(
    named = "RDMA_TEST_ADDRESS",
    matches = ".+",
    disabledReason = "VerbsJobsIT itself had this device")
final class KernelJobsIT {

  private static final Duration TIMEOUT = Duration.ofMinutes(40);

  private static final String JOBS = "org.sparkrdma.it.jobs.VerbsJobsIT";

  /** Not the one with a kill, whose further executors take five minutes to start there. */
  private static final String ROWS = JOBS + "#theRowsAreTheSameAndEveryRemoteBlockComesByRdma";

  private static final List<String> PROPERTIES =
      List.of(
          "basedir",
          "sparkrdma.it.workloadsJar",
          "sparkrdma.it.testsJar",
          "sparkrdma.it.shuffleJar");

  /**
   * Enters a cgroup of its own, where the kernel has such, whose limit a test may set, and becomes
   * a user who may lock 8 MiB of memory. Of root's capabilities there's left to read the files of
   * this build, which may lie in a home that's closed to others.
   */
  private static final String LIMITED =
      """
      mkdir /run/cgroup && mount -t cgroup2 none /run/cgroup
      if echo +memory > /run/cgroup/cgroup.subtree_control; then
        mkdir /run/cgroup/job
        echo $$ > /run/cgroup/job/cgroup.procs
        chown 65534 /run/cgroup/job/memory.max
      fi
      mkdir /run/ext4/local
      chown 65534 /run/ext4/local /tmp/spark
      ulimit -l 8192
      exec setpriv --reuid=65534 --regid=65534 --clear-groups --bounding-set=-all,+dac_read_search \
        --inh-caps=-all,+dac_read_search --ambient-caps=-all,+dac_read_search""";

  private static final boolean ALL = Boolean.getBoolean("rdma.extended");

  /** One unless there is time: each kernel has one processor, and Spark starts slowly there. */
  private static final List<String> DRIVERS = ALL ? List.of("rxe", "siw") : List.of("rxe");

  @Test
  void jobsReadEveryRemoteBlockByRdma() throws Exception {
    TestKernel.Result result =
        run(
            "jobs",
            DRIVERS,
            "exec",
            List.of(),
            ALL ? "--select-class" : "--select-method",
            ALL ? JOBS : ROWS);
    assertEquals(DRIVERS.size(), linesWith("by RDMA: {", result), result::toString);
  }

  /**
   * The driver and both executors together are in a cgroup whose memory is used up when the large
   * shuffle begins, and each process may lock 8 MiB. Files are on ext4 and on tmpfs.
   */
  @Test
  @EnabledIfSystemProperty(
      named = "rdma.extended",
      matches = "true",
      disabledReason = "it takes three minutes: mvn verify -Pextended runs it")
  void whatIsPinnedStaysWithinTheBudgetAndTheRestComesByTcp() throws Exception {
    TestKernel.Result result =
        run(
            "memory",
            DRIVERS,
            LIMITED,
            List.of(
                "-Dsparkrdma.it.cgroup=/run/cgroup/job",
                "-Dsparkrdma.it.fabric=verbs",
                "-Dsparkrdma.it.memlock=8388608",
                "-Dsparkrdma.it.localDirs=/run/ext4/local,/tmp/local"),
            "--select-method",
            "org.sparkrdma.it.jobs.MemoryIT#aLimitOfLockedMemoryIsKeptAndTheLogSaysWhatToDo");
    assertEquals(DRIVERS.size(), linesWith("the most that was pinned", result), result::toString);
    if (System.getenv("RDMA_TEST_KERNEL") == null) {
      // Which has been built as it's wanted.
      assertEquals(DRIVERS.size(), linesWith("the cgroup's ", result), result::toString);
    }
  }

  /**
   * Runs tests of this module in the test kernel, on these drivers, and wants them to pass.
   *
   * @param start words of the shell that start a command as it's wanted
   */
  private static TestKernel.Result run(
      String name, List<String> drivers, String start, List<String> properties, String... selection)
      throws Exception {
    List<String> arguments = new ArrayList<>(List.of("--timeout", "1800"));
    drivers.forEach(driver -> arguments.addAll(List.of("--driver", driver)));
    arguments.add("--");
    // A SPARK_HOME in which executors' folders can be made: this file system is read-only there.
    arguments.addAll(
        List.of(
            "bash",
            "-c",
            "set -e; mkdir /tmp/spark; ln -s \"$0/jars\" /tmp/spark/jars\n" + start + " env \"$@\"",
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
    arguments.addAll(properties);
    arguments.add("-Dsparkrdma.it.master=local-cluster[2,1,1024]");
    arguments.add("-cp");
    arguments.add(Objects.requireNonNull(System.getProperty("surefire.test.class.path")));
    arguments.addAll(
        List.of(
            "org.junit.platform.console.ConsoleLauncher",
            "execute",
            "--disable-banner",
            "--disable-ansi-colors",
            "--details=testfeed",
            "--fail-if-no-tests"));
    arguments.addAll(List.of(selection));
    TestKernel.Result result = TestKernel.run(name, TIMEOUT, arguments);
    assertEquals(0, result.exitStatus(), result::toString);
    return result;
  }

  private static long linesWith(String text, TestKernel.Result result) {
    return result.lines().stream().filter(line -> line.contains(text)).count();
  }
}
