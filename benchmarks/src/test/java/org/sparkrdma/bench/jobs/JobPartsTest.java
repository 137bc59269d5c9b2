package org.sparkrdma.bench.jobs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.sparkrdma.it.terasort.Report;
import picocli.CommandLine;

/** The parts that run no job. */
class JobPartsTest {

  @ParameterizedTest
  @CsvSource({
    "--workloads sort, 'no workload sort; there are terasort, groupby, repartition, pagerank, join'",
    "--shapes 128, 'a shape is MAPSxREDUCERS such as 128x128, not 128'",
    "--shapes 0x8, 'a shape has 1 to 4096 maps and reducers'",
    "--rounds 0, '--rounds must be 1 to 100, not 0'",
    "--folder /nowhere, '/nowhere must be an existing folder'",
    "--recordings /nowhere, '/nowhere must be an existing folder'"
  })
  void mistakesAreSaid(String arguments, String message) {
    StringWriter errors = new StringWriter();
    int status =
        new CommandLine(new JobsCommand())
            .setErr(new PrintWriter(errors))
            .execute(arguments.split(" ", -1));
    assertEquals(CommandLine.ExitCode.USAGE, status);
    assertTrue(errors.toString().contains(message), errors.toString());
  }

  @Test
  void blocksOfAShapeHaveTheSameNumberOfRecords() {
    Shape shape = Shape.of("512x128");

    assertEquals(new Shape(512, 128), shape);
    assertEquals("512x128", shape.label());
    // 16 KiB for each block.
    assertEquals(16 * 128, shape.recordsPerMap(1L << 30, 1024));
    assertEquals(128, shape.recordsPerMap(1, 1024));
  }

  @Test
  void eachSideIsAtEachPlaceEquallyOftenAndNeighboursChange() {
    Map<Side, int[]> places = new EnumMap<>(Side.class);
    for (int round = 1; round <= 6; round++) {
      List<Side> turns = Side.turns(round);
      for (Side side : Side.values()) {
        places.computeIfAbsent(side, _ -> new int[3])[turns.indexOf(side)]++;
      }
    }

    places.forEach((side, counts) -> assertEquals(List.of(2, 2, 2), list(counts), side.label()));
    assertEquals(
        6, IntStream.rangeClosed(1, 6).mapToObj(Side::turns).distinct().count(), "all orders");
  }

  private static List<Integer> list(int[] values) {
    return IntStream.of(values).boxed().toList();
  }

  @Test
  void theIntervalIsStudents() {
    // The logarithms of 1/2, 1 and 2 have mean 0 and deviation ln 2; t(2) is 4.3027.
    Ratio ratio = Ratio.of(2, 0.5, 1);

    assertEquals(1, ratio.median());
    double high = Math.exp(4.302653 * Math.log(2) / Math.sqrt(3));
    assertEquals(high, ratio.high(), 1e-5);
    assertEquals(1 / high, ratio.low(), 1e-5);
  }

  @Test
  void oneRoundHasNoInterval() {
    assertTrue(Double.isNaN(Ratio.of(0.9).low()));
    assertEquals(" 0.90  (0.90-0.90)", Ratio.of(0.9).text());
  }

  @Test
  void processorTimeIsTheSumOfUserAndSystem() {
    String stat = "42 (a ) b) S 1 42 42 0 -1 4194560 100 0 0 0 250 50 7 7 20 0 9 0 100 1 2";

    assertEquals(3000, ProcessCpu.millis(stat));
  }

  @Test
  void processorTimeOfThisProcessGrows() {
    ProcessCpu cpu = new ProcessCpu(List.of(ProcessHandle.current().pid()));
    long before = cpu.millis();

    long start = System.nanoTime();
    while (cpu.millis() == before) {
      assertTrue(System.nanoTime() - start < 60_000_000_000L, "60 s and no processor time");
    }
    assertTrue(cpu.millis() > before);
  }

  @Test
  void mailIsThereAsAWholeOrNotAtAll(@TempDir Path folder) throws Exception {
    Mailbox mailbox = new Mailbox(folder);
    assertEquals(Optional.empty(), mailbox.request(1));

    mailbox.request(1, Map.of("workload", "join"));
    mailbox.answer(1, Map.of("seconds", "2"));

    assertEquals(Optional.of(new Report(Map.of("workload", "join"))), mailbox.request(1));
    assertEquals(Optional.of(new Report(Map.of("seconds", "2"))), mailbox.answer(1));
    assertEquals(Optional.empty(), mailbox.answer(2));
  }
}
