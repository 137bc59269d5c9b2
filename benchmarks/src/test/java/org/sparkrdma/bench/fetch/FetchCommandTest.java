package org.sparkrdma.bench.fetch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.sparkrdma.bench.Comparison;
import org.sparkrdma.bench.JavaCommand;
import org.sparkrdma.bench.MeasuringProcess;
import org.sparkrdma.bench.Sample;
import picocli.CommandLine;

class FetchCommandTest {

  @ParameterizedTest
  @CsvSource({
    "--rounds 0, '--rounds must be 1 to 100, not 0'",
    "'--sizes 4KiB,5KiB', '''5KiB'' is none of 4KiB, 64KiB, 1MiB and mix'",
    "--folder /nowhere, '--folder must be an existing folder, not /nowhere'"
  })
  void mistakesAreSaid(String arguments, String message) {
    StringWriter errors = new StringWriter();
    int status =
        new CommandLine(new FetchCommand())
            .setErr(new PrintWriter(errors))
            .execute(arguments.split(" ", -1));
    assertEquals(CommandLine.ExitCode.USAGE, status);
    assertTrue(errors.toString().contains(message), errors.toString());
  }

  @Test
  void ratiosSayHowManyTimesBetterOursIs() {
    List<BlockSizes> all = List.of(BlockSizes.values());
    List<Sample> samples = new ArrayList<>();
    for (BlockSizes sizes : all) {
      samples.addAll(figures(10_000, 300, 200).samples(1, sizes, Side.NETTY));
      samples.addAll(figures(2_000, 100, 0).samples(1, sizes, Side.VERBS));
      samples.addAll(figures(1_000, 50, 0).samples(1, sizes, Side.FLOOR));
    }
    List<String> lines =
        FetchComparisons.of(List.of(Side.VERBS), all, samples).stream()
            .map(Comparison::ratioLines)
            .flatMap(List::stream)
            .filter(line -> line.contains(".64KiB."))
            .toList();
    assertEquals(
        List.of(
            "RATIO fetch.verbs.64KiB.throughput 5.00",
            "RATIO fetch.verbs.64KiB.cpu 5.00",
            "RATIO fetch.verbs.64KiB.server_cpu 0.0000",
            "RATIO fetch.netty.64KiB.server_cpu 0.0200",
            "RATIO fetch.floor.64KiB.server_cpu 0.0000",
            "RATIO fetch.floor.64KiB.throughput 2.00",
            "RATIO fetch.floor.64KiB.cpu 2.00"),
        lines);
  }

  private static Figures figures(long wallMillis, long clientMillis, long serverMillis) {
    long milli = 1_000_000;
    return new Figures(
        1 << 30, 16384, wallMillis * milli, clientMillis * milli, serverMillis * milli);
  }

  @Test
  void everySideFetchesFromARealServerAndLeavesNoFiles(@TempDir Path folder) throws Exception {
    List<String> words =
        new ArrayList<>(JavaCommand.withSpark("fetch-measure", FetchCommand.MAX_HEAP));
    words.addAll(List.of("--folder", folder.toString(), "--rounds", "1", "--bytes", "4194304"));
    words.addAll(List.of("--least-millis", "1", "--warm-up-millis", "1", "--sizes", "4kib,mix"));
    MeasuringProcess process = MeasuringProcess.here();
    assertEquals(0, process.run(words));
    assertEquals("software", process.link());
    List<Side> ours = List.of(Side.LOCAL, Side.TCP);
    assertEquals(10, FetchComparisons.of(ours, List.of(BlockSizes.MIX), process.samples()).size());
    String table = new FigureTable(process.samples()).text();
    for (Side side : List.of(Side.NETTY, Side.LOCAL, Side.TCP, Side.FLOOR)) {
      assertTrue(table.contains("4KiB   " + side.label()), table);
      assertTrue(table.contains("mix    " + side.label()), table);
    }
    assertFalse(table.contains("1MiB"), table);
    try (Stream<Path> left = Files.list(folder)) {
      assertEquals(0, left.count());
    }
  }
}
