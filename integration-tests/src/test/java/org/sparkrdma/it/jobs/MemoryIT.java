package org.sparkrdma.it.jobs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.spark.api.java.JavaPairRDD;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.sparkrdma.it.jobs.TestApplication.Reading;

/**
 * Jobs whose shuffle is larger than what may be registered. The fabric is software; {@code
 * KernelJobsIT} runs the same on RDMA, with files on ext4 and on tmpfs.
 */
final class MemoryIT {

  /** Of it, half is the buffer pool's. */
  private static final long MAX_PINNED = 8 << 20;

  private static final int REDUCERS = 16;

  /** Of a MiB from each map: four times the budget in each of two executors. */
  private static final SeededShuffle LARGE = new SeededShuffle(64, REDUCERS, 64 << 10);

  /** It fits in beside what a large one leaves. */
  private static final SeededShuffle SMALL = new SeededShuffle(2, REDUCERS, 16 << 10);

  private static final long LEASE_MILLIS = 50;
  private static final long READ_TIMEOUT_MILLIS = 3000;
  private static final long GRACE_MILLIS = LEASE_MILLIS + READ_TIMEOUT_MILLIS * 5 / 2;

  /** Spark's local directories, if whoever runs this chooses: on another file system each. */
  private static final String DIRECTORIES = System.getProperty("sparkrdma.it.localDirs", "");

  /** Where all of this runs, if its memory can be limited. */
  private static final Path CGROUP = Path.of(System.getProperty("sparkrdma.it.cgroup", "none"));

  private static final boolean CGROUP_HAS_MEMORY = Files.exists(CGROUP.resolve("memory.max"));

  private static Map<String, String> conf() {
    Map<String, String> conf = new HashMap<>();
    conf.put("spark.shuffle.rdma.leaseMillis", Long.toString(LEASE_MILLIS));
    conf.put("spark.shuffle.rdma.readTimeoutMillis", Long.toString(READ_TIMEOUT_MILLIS));
    conf.put("spark.shuffle.compress", "false");
    // It wants more rights to Spark's jars than the user has whom KernelJobsIT becomes.
    conf.put("spark.ui.enabled", "false");
    // The test kernel may be slow when many processes start in it.
    conf.put("spark.shuffle.rdma.connectTimeoutMillis", "60000");
    if (!DIRECTORIES.isEmpty()) {
      conf.put("spark.local.dir", DIRECTORIES);
    }
    return conf;
  }

  @AfterAll
  static void theCgroupWasFullAndNothingWasKilledForIt() throws IOException {
    if (!CGROUP_HAS_MEMORY) {
      System.out.println("no memory limit by a cgroup here");
      return;
    }
    List<String> events = Files.readAllLines(CGROUP.resolve("memory.events"));
    System.out.println("the cgroup's " + events);
    assertTrue(events.contains("oom_kill 0"), events::toString);
    assertFalse(events.contains("max 0"), events::toString);
  }

  /**
   * Leaves the driver and the executors no more memory than they have: what they need from now on,
   * the kernel takes from page cache, that of shuffle files for one.
   */
  private static void limitTheCgroup() throws IOException {
    if (CGROUP_HAS_MEMORY) {
      String used = Files.readString(CGROUP.resolve("memory.current"));
      System.out.println("the cgroup is limited to " + used);
      Files.writeString(CGROUP.resolve("memory.max"), used);
    }
  }

  @Test
  void aBudgetIsKeptAndWhatIsUnusedMakesRoom() throws Exception {
    Map<String, String> conf = conf();
    conf.put("spark.shuffle.rdma.maxPinnedBytes", Long.toString(MAX_PINNED));
    try (TestApplication application = TestApplication.withRdma(conf)) {
      check(application);
    }
  }

  /** The budget that nobody set is far above the limit, which is what counts then. */
  @Test
  @EnabledIfSystemProperty(
      named = "sparkrdma.it.memlock",
      matches = "[0-9]+",
      disabledReason = "KernelJobsIT runs this with RDMA and a limit of locked memory")
  void aLimitOfLockedMemoryIsKeptAndTheLogSaysWhatToDo() throws Exception {
    assertEquals(Long.valueOf(MAX_PINNED), Long.getLong("sparkrdma.it.memlock"));
    assertNotEquals("root", System.getProperty("user.name"));
    try (TestApplication application = TestApplication.withRdma(conf())) {
      check(application);
      for (Path log : executorLogs(application.context.sc().applicationId())) {
        long lines;
        try (var all = Files.lines(log)) {
          lines = all.filter(line -> line.contains("RLIMIT_MEMLOCK), so")).count();
        }
        assertEquals(1, lines, log::toString);
      }
    }
  }

  private static void check(TestApplication application) throws Exception {
    Sampler sampler = new Sampler(application.executorProcesses());
    sampler.start();
    JavaPairRDD<Integer, SeededShuffle.Piece> old = SMALL.shuffled(application);
    Reading first = application.run(ignored -> SeededShuffle.sums(old));
    assertEquals(SMALL.expected(), first.rows());
    SameRowsIT.assertAllByRead(first, "a shuffle within the budget");
    Thread.sleep(GRACE_MILLIS);
    limitTheCgroup();
    checkLarge(application);
    Reading later = application.run(ignored -> SeededShuffle.sums(old));
    assertEquals(SMALL.expected(), later.rows());
    assertEquals(Map.of("region-retired", later.sparkBlocks()), later.tcpBlocks());
    assertTrue(later.sparkBlocks() > 0);
    // What was retired has come free by then, and of what was large, too, for what had no room.
    Thread.sleep(2 * GRACE_MILLIS);
    checkLarge(application);
    Thread.sleep(2 * GRACE_MILLIS);
    Reading newest = application.run(ignored -> SeededShuffle.sums(SMALL.shuffled(application)));
    SameRowsIT.assertAllByRead(newest, "a shuffle that found room again");
    sampler.end();
    System.out.println("the most that was pinned and mapped: " + sampler.most);
    sampler.check();
  }

  private static void checkLarge(TestApplication application) throws Exception {
    Reading reading = application.run(ignored -> SeededShuffle.sums(LARGE.shuffled(application)));
    System.out.println("larger than the budget: " + reading);
    assertEquals(LARGE.expected(), reading.rows());
    assertTrue(reading.readBlocks() > 0, "none by READ");
    assertTrue(reading.tcpBlocks().getOrDefault("over-budget", 0L) > 0, "none over budget");
    assertTrue(
        Set.of("over-budget", "pool-dry").containsAll(reading.tcpBlocks().keySet()),
        reading::toString);
    long byTcp = reading.tcpBlocks().values().stream().mapToLong(Long::longValue).sum();
    assertEquals(reading.sparkBlocks(), reading.readBlocks() + byTcp);
  }

  private static List<Path> executorLogs(String application) throws IOException {
    Path work = Path.of(System.getenv("SPARK_HOME"), "work", application);
    try (var files = Files.walk(work)) {
      List<Path> logs = files.filter(file -> file.endsWith("stderr")).toList();
      assertEquals(2, logs.size(), logs::toString);
      return logs;
    }
  }

  /** Looks, while a job runs, at what the kernel says that executors have pinned and mapped. */
  private static final class Sampler extends Thread {
    private static final long PERIOD_MILLIS = 20;

    private final Set<Long> processes;
    final Map<String, Long> most = new TreeMap<>();
    private volatile boolean ended;

    Sampler(Set<Long> processes) {
      super("sampler");
      this.processes = processes;
    }

    @Override
    public void run() {
      try {
        while (!ended) {
          for (long process : processes) {
            most.merge("pinned", pinned(process), Math::max);
            most.merge("mapped", mapped(process, ""), Math::max);
            for (String directory : DIRECTORIES.split(",", -1)) {
              most.merge("mapped in " + directory, mapped(process, directory), Math::max);
            }
          }
          Thread.sleep(PERIOD_MILLIS);
        }
      } catch (IOException | InterruptedException e) {
        most.put("failed: " + e, Long.MAX_VALUE);
      }
    }

    void end() throws InterruptedException {
      ended = true;
      join();
    }

    /** The kernel's own count: what is pinned for RDMA, and what of shuffle files is mapped. */
    void check() {
      long pinned = most.getOrDefault("pinned", -1L);
      assertTrue(pinned <= MAX_PINNED, most::toString);
      assertEquals(TestApplication.FABRIC.equals("verbs"), pinned > 0, most::toString);
      long mapped = most.getOrDefault("mapped", -1L);
      assertTrue(mapped <= MAX_PINNED, most::toString);
      most.forEach((what, bytes) -> assertTrue(bytes > 0 || what.equals("pinned"), most::toString));
    }

    private static long pinned(long process) throws IOException {
      return Files.readAllLines(Path.of("/proc", Long.toString(process), "status")).stream()
          .filter(line -> line.startsWith("VmPin:"))
          .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")) << 10)
          .sum();
    }

    private static long mapped(long process, String directory) throws IOException {
      return Files.readAllLines(Path.of("/proc", Long.toString(process), "maps")).stream()
          .filter(line -> line.contains(directory) && line.contains("/shuffle_"))
          .map(line -> line.split("[- ]", 3))
          .mapToLong(parts -> Long.parseLong(parts[1], 16) - Long.parseLong(parts[0], 16))
          .sum();
    }
  }
}
