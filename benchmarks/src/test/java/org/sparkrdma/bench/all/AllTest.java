package org.sparkrdma.bench.all;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Command;

class AllTest {

  private static final Benchmark WIRE = new Benchmark("wire", List.of());

  /** Prints as benchmarks do, and ends with a status. */
  @Command(name = "wire")
  private record Printing(String out, String err, int status) implements Callable<Integer> {
    @Override
    public Integer call() {
      System.out.println(out);
      System.err.println(err);
      return status;
    }
  }

  private static Benchmark.Ending run(String out, String err, int status) {
    return WIRE.run(Map.of("wire", new CommandLine(new Printing(out, err, status))));
  }

  @Test
  void collectsWhatABenchmarkPrintsForPrograms() {
    Benchmark.Ending ending = run("some text\nRATIO wire.rxe.latency 1.10\nRATIO odd", "", 0);

    assertEquals(List.of(new RatioLine("wire.rxe.latency", 1.10)), ending.ratios());
    assertEquals("", ending.problem());
    assertFalse(ending.failed());
  }

  @Test
  void skipsWithTheReasonWhatThisMachineCannotMeasure() {
    Benchmark.Ending missing = run("", "bench: PATH has no ib_read_bw.", 3);
    Benchmark.Ending unknown = WIRE.run(Map.of());

    assertEquals("bench: PATH has no ib_read_bw.", missing.problem());
    assertFalse(missing.failed());
    assertEquals("there is no such benchmark in this version", unknown.problem());
    assertFalse(unknown.failed());
  }

  @Test
  void failuresAreFailures() {
    Benchmark.Ending ending = run("RATIO wire.rxe.latency 1.10", "it broke", 1);

    assertTrue(ending.failed());
    assertEquals("exit status 1: it broke", ending.problem());
  }

  @Test
  void givesTheStreamsBack() {
    var out = System.out;
    var err = System.err;
    assertTrue(run("", "", 1).failed());
    assertEquals(out, System.out);
    assertEquals(err, System.err);
  }

  @Test
  void putsFiguresBesideWhatTheyShouldBe() {
    Map<String, Benchmark.Ending> endings = new LinkedHashMap<>();
    endings.put(
        "wire",
        new Benchmark.Ending(
            List.of(
                new RatioLine("wire.rxe.1MiB.bandwidth", 0.97),
                new RatioLine("wire.rxe.latency", 1.10)),
            "",
            false));
    endings.put(
        "jobs",
        new Benchmark.Ending(List.of(new RatioLine("jobs.join.8x8.wall", 1.02)), "broke", true));

    ReachTable table = new ReachTable(endings);

    Map<String, String> verdicts = new LinkedHashMap<>();
    table.rows().forEach(row -> verdicts.put(row.name(), row.verdict()));
    assertEquals("missed", verdicts.get("wire.rxe.1MiB.bandwidth"));
    assertEquals("", verdicts.get("wire.rxe.latency"));
    assertEquals("not measured", verdicts.get("wire.rxe.64KiB.bandwidth"));
    assertEquals("reached", verdicts.get("jobs.join.8x8.wall"));
    assertEquals("not measured", verdicts.get("jobs.terasort.128x128.wall"));
    assertFalse(verdicts.containsKey("scale.publish_100k.s"), "no such benchmark was tried");
    assertTrue(table.lines().contains("jobs FAILED: broke"), table.lines().toString());
    assertTrue(table.csv().contains("wire.rxe.1MiB.bandwidth,0.97,>= 0.98,missed"));
  }

  @Test
  void everyAimBelongsToABenchmark() {
    List<String> names = Benchmark.ALL.stream().map(Benchmark::name).toList();

    Reach.aims()
        .keySet()
        .forEach(name -> assertTrue(names.contains(name.substring(0, name.indexOf('.'))), name));
    assertEquals(Optional.empty(), Reach.of("register.rxe.1MiB.time"));
  }
}
