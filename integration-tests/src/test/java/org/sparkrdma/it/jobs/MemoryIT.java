package org.sparkrdma.it.jobs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.zip.CRC32;
import org.apache.spark.HashPartitioner;
import org.apache.spark.api.java.JavaPairRDD;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.sparkrdma.it.jobs.TestApplication.Reading;
import scala.Tuple2;

/**
 * Jobs whose shuffle is larger than what may be registered. The fabric is software; {@code
 * KernelJobsIT} runs the same on RDMA, with files on ext4 and on tmpfs.
 */
final class MemoryIT {

  static final String FABRIC = System.getProperty("sparkrdma.it.fabric", "software");

  private static final long MIB = 1 << 20;

  /** Of it, half is the buffer pool's. */
  private static final long MAX_PINNED = 8 * MIB;

  private static final int REDUCERS = 16;
  private static final int BLOCK_BYTES = 64 << 10;

  /** 64 outputs of a MiB: four times the budget in each of two executors. */
  private static final int LARGE_MAPS = 64;

  private static final int SMALL_MAPS = 4;

  private static final long LEASE_MILLIS = 50;
  private static final long READ_TIMEOUT_MILLIS = 3000;

  /** Where outputs go, if the test chooses: on another file system each. */
  private static final List<String> DIRECTORIES =
      Arrays.asList(System.getProperty("sparkrdma.it.localDirs", "").split(",", -1));

  private static Map<String, String> conf(String directory) {
    Map<String, String> conf = new HashMap<>();
    conf.put("spark.shuffle.rdma.fabric", FABRIC);
    conf.put("spark.shuffle.rdma.maxPinnedBytes", MAX_PINNED + "b");
    conf.put("spark.shuffle.compress", "false");
    // The test kernel may be slow when many processes start in it.
    conf.put("spark.shuffle.rdma.connectTimeoutMillis", "60000");
    if (!directory.isEmpty()) {
      conf.put("spark.local.dir", directory);
    }
    return conf;
  }

  @AfterAll
  static void nothingWasKilledForWantOfMemory() throws IOException {
    Path cgroup = Path.of(System.getProperty("sparkrdma.it.cgroup", "none"));
    if (Files.exists(cgroup.resolve("memory.events"))) {
      String events = Files.readString(cgroup.resolve("memory.events"));
      System.out.println("the cgroup's " + events.replace('\n', ' '));
      assertTrue(events.contains("oom_kill 0"), events);
    } else {
      System.out.println("no memory limit by a cgroup here");
    }
  }

  @Test
  void aShuffleOfFourTimesTheBudgetGivesTheSameRows() throws Exception {
    try (TestApplication application = TestApplication.withRdma(conf(DIRECTORIES.getFirst()))) {
      checkALargeShuffle(application);
    }
  }

  private static void checkALargeShuffle(TestApplication application) throws Exception {
    Sampler sampler = new Sampler(application.executorProcesses(), DIRECTORIES.getFirst());
    sampler.start();
    Reading reading = application.run(ignored -> sums(bytes(application, LARGE_MAPS)));
    sampler.end();
    System.out.println("larger than the budget: " + reading + ", most: " + sampler.most);
    assertEquals(expected(LARGE_MAPS), reading.rows());
    assertTrue(reading.readBlocks() > 0, "none by READ");
    assertTrue(reading.tcpBlocks().getOrDefault("over-budget", 0L) > 0, "none over budget");
    assertTrue(
        Set.of("over-budget", "pool-dry").containsAll(reading.tcpBlocks().keySet()),
        reading::toString);
    long byTcp = reading.tcpBlocks().values().stream().mapToLong(Long::longValue).sum();
    assertEquals(reading.sparkBlocks(), reading.readBlocks() + byTcp);
    sampler.check();
  }

  @Test
  void aShuffleThatIsUnusedMakesRoomForAnother() throws Exception {
    String directory = DIRECTORIES.getLast();
    Map<String, String> conf = conf(directory);
    conf.put("spark.shuffle.rdma.leaseMillis", Long.toString(LEASE_MILLIS));
    conf.put("spark.shuffle.rdma.readTimeoutMillis", Long.toString(READ_TIMEOUT_MILLIS));
    long graceMillis = LEASE_MILLIS + READ_TIMEOUT_MILLIS * 5 / 2;
    try (TestApplication application = TestApplication.withRdma(conf)) {
      Sampler sampler = new Sampler(application.executorProcesses(), directory);
      sampler.start();
      JavaPairRDD<Integer, byte[]> old = bytes(application, SMALL_MAPS);
      Reading first = application.run(ignored -> sums(old));
      assertEquals(expected(SMALL_MAPS), first.rows());
      SameRowsIT.assertAllByRead(first, "a shuffle within the budget");
      Thread.sleep(graceMillis);
      application.run(ignored -> sums(bytes(application, LARGE_MAPS)));
      Reading later = application.run(ignored -> sums(old));
      assertEquals(expected(SMALL_MAPS), later.rows());
      assertEquals(Map.of("region-retired", later.sparkBlocks()), later.tcpBlocks());
      assertTrue(later.sparkBlocks() > 0);
      // What was retired has come free by then, and more is retired for what had no room.
      Thread.sleep(2 * graceMillis);
      application.run(ignored -> sums(bytes(application, LARGE_MAPS)));
      Thread.sleep(2 * graceMillis);
      Reading newest = application.run(ignored -> sums(bytes(application, SMALL_MAPS)));
      sampler.end();
      SameRowsIT.assertAllByRead(newest, "a shuffle that found room again");
      sampler.check();
    }
  }

  /** The budget that nobody set is far above the limit, which is what counts then. */
  @Test
  @EnabledIfSystemProperty(
      named = "sparkrdma.it.memlock",
      matches = "[0-9]+",
      disabledReason = "KernelJobsIT runs this with RDMA and a limit of locked memory")
  void aShuffleOfFourTimesTheLimitOfLockedMemoryGivesTheSameRows() throws Exception {
    assertEquals(Long.valueOf(MAX_PINNED), Long.getLong("sparkrdma.it.memlock"));
    Map<String, String> conf = conf(DIRECTORIES.getFirst());
    conf.remove("spark.shuffle.rdma.maxPinnedBytes");
    try (TestApplication application = TestApplication.withRdma(conf)) {
      checkALargeShuffle(application);
      for (Path log : executorLogs(application.context.sc().applicationId())) {
        long lines;
        try (var all = Files.lines(log)) {
          lines = all.filter(line -> line.contains("RLIMIT_MEMLOCK), so")).count();
        }
        assertEquals(1, lines, log::toString);
      }
    }
  }

  private static List<Path> executorLogs(String application) throws IOException {
    Path work = Path.of(System.getenv("SPARK_HOME"), "work", application);
    try (var files = Files.walk(work)) {
      List<Path> logs = files.filter(file -> file.endsWith("stderr")).toList();
      assertEquals(2, logs.size(), logs::toString);
      return logs;
    }
  }

  /** Each map writes a block for each reducer, of bytes that its number seeds. */
  private static JavaPairRDD<Integer, byte[]> bytes(TestApplication application, int maps) {
    return application
        .context
        .parallelize(IntStream.range(0, maps).boxed().toList(), maps)
        .flatMapToPair(
            map -> {
              List<Tuple2<Integer, byte[]>> records = new ArrayList<>();
              for (int reducer = 0; reducer < REDUCERS; reducer++) {
                records.add(new Tuple2<>(reducer, block(map, reducer)));
              }
              return records.iterator();
            })
        .partitionBy(new HashPartitioner(REDUCERS));
  }

  private static byte[] block(int map, int reducer) {
    byte[] bytes = new byte[BLOCK_BYTES];
    new Random(map * 1000L + reducer).nextBytes(bytes);
    return bytes;
  }

  private static List<String> sums(JavaPairRDD<Integer, byte[]> blocks) {
    return rows(
        new TreeMap<>(
            blocks.mapToPair(pair -> new Tuple2<>(pair._1(), crc(pair._2()))).collect().stream()
                .collect(Collectors.groupingBy(Tuple2::_1, Collectors.summingLong(Tuple2::_2)))));
  }

  private static List<String> expected(int maps) {
    Map<Integer, Long> sums = new TreeMap<>();
    for (int map = 0; map < maps; map++) {
      for (int reducer = 0; reducer < REDUCERS; reducer++) {
        sums.merge(reducer, crc(block(map, reducer)), Long::sum);
      }
    }
    return rows(sums);
  }

  private static List<String> rows(Map<Integer, Long> sums) {
    return sums.entrySet().stream().map(sum -> sum.getKey() + ": " + sum.getValue()).toList();
  }

  private static long crc(byte[] bytes) {
    CRC32 crc = new CRC32();
    crc.update(bytes);
    return crc.getValue();
  }

  /** Looks, while a job runs, at what the kernel says that executors have pinned and mapped. */
  private static final class Sampler extends Thread {
    private static final long PERIOD_MILLIS = 20;

    private final Set<Long> processes;
    private final String directory;
    final Map<String, Long> most = new TreeMap<>();
    private volatile boolean ended;

    Sampler(Set<Long> processes, String directory) {
      super("sampler");
      this.processes = processes;
      this.directory = directory;
    }

    @Override
    public void run() {
      try {
        while (!ended) {
          for (long process : processes) {
            most.merge("pinned", pinned(process), Math::max);
            most.merge("mapped", mapped(process), Math::max);
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
      assertEquals(FABRIC.equals("verbs"), pinned > 0, most::toString);
      long mapped = most.getOrDefault("mapped", -1L);
      assertTrue(mapped > 0 && mapped <= MAX_PINNED, most::toString);
    }

    private static long pinned(long process) throws IOException {
      return Files.readAllLines(Path.of("/proc", Long.toString(process), "status")).stream()
          .filter(line -> line.startsWith("VmPin:"))
          .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")) << 10)
          .sum();
    }

    private long mapped(long process) throws IOException {
      return Files.readAllLines(Path.of("/proc", Long.toString(process), "maps")).stream()
          .filter(line -> line.contains(directory) && line.contains("/shuffle_"))
          .map(line -> line.split("[- ]", 3))
          .mapToLong(parts -> Long.parseLong(parts[1], 16) - Long.parseLong(parts[0], 16))
          .sum();
    }
  }
}
