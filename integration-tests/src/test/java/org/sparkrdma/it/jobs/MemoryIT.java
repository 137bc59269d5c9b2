package org.sparkrdma.it.jobs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.Serializable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
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

  /** Of it, half is the buffer pool's. */
  private static final long MAX_PINNED = 8 << 20;

  private static final int REDUCERS = 16;

  /** Of a MiB from each map: four times the budget in each of two executors. */
  private static final Shape LARGE = new Shape(64, 64 << 10);

  /** It fits in beside what a large one leaves. */
  private static final Shape SMALL = new Shape(2, 16 << 10);

  private static final long LEASE_MILLIS = 50;
  private static final long READ_TIMEOUT_MILLIS = 3000;
  private static final long GRACE_MILLIS = LEASE_MILLIS + READ_TIMEOUT_MILLIS * 5 / 2;

  /** A shuffle of so many maps, each with a block of so many bytes for each reducer. */
  private record Shape(int maps, int blockBytes) implements Serializable {}

  /** Spark's local directories, if whoever runs this chooses: on another file system each. */
  private static final String DIRECTORIES = System.getProperty("sparkrdma.it.localDirs", "");

  private static Map<String, String> conf() {
    Map<String, String> conf = new HashMap<>();
    conf.put("spark.shuffle.rdma.fabric", FABRIC);
    conf.put("spark.shuffle.rdma.leaseMillis", Long.toString(LEASE_MILLIS));
    conf.put("spark.shuffle.rdma.readTimeoutMillis", Long.toString(READ_TIMEOUT_MILLIS));
    conf.put("spark.shuffle.compress", "false");
    // The test kernel may be slow when many processes start in it.
    conf.put("spark.shuffle.rdma.connectTimeoutMillis", "60000");
    if (!DIRECTORIES.isEmpty()) {
      conf.put("spark.local.dir", DIRECTORIES);
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
    JavaPairRDD<Integer, byte[]> old = bytes(application, SMALL);
    Reading first = application.run(ignored -> sums(old));
    assertEquals(expected(SMALL), first.rows());
    SameRowsIT.assertAllByRead(first, "a shuffle within the budget");
    Thread.sleep(GRACE_MILLIS);
    checkLarge(application);
    Reading later = application.run(ignored -> sums(old));
    assertEquals(expected(SMALL), later.rows());
    assertEquals(Map.of("region-retired", later.sparkBlocks()), later.tcpBlocks());
    assertTrue(later.sparkBlocks() > 0);
    // What was retired has come free by then, and of what was large, too, for what had no room.
    Thread.sleep(2 * GRACE_MILLIS);
    checkLarge(application);
    Thread.sleep(2 * GRACE_MILLIS);
    Reading newest = application.run(ignored -> sums(bytes(application, SMALL)));
    SameRowsIT.assertAllByRead(newest, "a shuffle that found room again");
    sampler.end();
    System.out.println("the most that was pinned and mapped: " + sampler.most);
    sampler.check();
  }

  private static void checkLarge(TestApplication application) throws Exception {
    Reading reading = application.run(ignored -> sums(bytes(application, LARGE)));
    System.out.println("larger than the budget: " + reading);
    assertEquals(expected(LARGE), reading.rows());
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

  /** Each map writes a block for each reducer, of bytes that its number seeds. */
  private static JavaPairRDD<Integer, byte[]> bytes(TestApplication application, Shape shape) {
    return application
        .context
        .parallelize(IntStream.range(0, shape.maps).boxed().toList(), shape.maps)
        .flatMapToPair(
            map -> {
              List<Tuple2<Integer, byte[]>> records = new ArrayList<>();
              for (int reducer = 0; reducer < REDUCERS; reducer++) {
                records.add(new Tuple2<>(reducer, block(map, reducer, shape.blockBytes)));
              }
              return records.iterator();
            })
        .partitionBy(new HashPartitioner(REDUCERS));
  }

  private static byte[] block(int map, int reducer, int length) {
    byte[] bytes = new byte[length];
    new Random(map * 1000L + reducer).nextBytes(bytes);
    return bytes;
  }

  private static List<String> sums(JavaPairRDD<Integer, byte[]> blocks) {
    return rows(
        new TreeMap<>(
            blocks.mapToPair(pair -> new Tuple2<>(pair._1(), crc(pair._2()))).collect().stream()
                .collect(Collectors.groupingBy(Tuple2::_1, Collectors.summingLong(Tuple2::_2)))));
  }

  private static List<String> expected(Shape shape) {
    Map<Integer, Long> sums = new TreeMap<>();
    for (int map = 0; map < shape.maps; map++) {
      for (int reducer = 0; reducer < REDUCERS; reducer++) {
        sums.merge(reducer, crc(block(map, reducer, shape.blockBytes)), Long::sum);
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
      assertEquals(FABRIC.equals("verbs"), pinned > 0, most::toString);
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
