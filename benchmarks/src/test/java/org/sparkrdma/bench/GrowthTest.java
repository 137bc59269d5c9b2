package org.sparkrdma.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GrowthTest {

  private static final List<GrowthCase> CASES =
      List.of(
          new GrowthCase(
              new ComparedCase("put_1k.s", "s", Optional.of(new Aim(false, 2))), "put.s", 1_000),
          new GrowthCase(
              new ComparedCase("put_10k.s", "s", Optional.of(new Aim(false, 2))), "put.s", 10_000),
          new GrowthCase(new ComparedCase("unmeasured", "s", Optional.empty()), "none", 1));

  private static Growth growth() {
    return new Growth(
        "scale",
        "outputs",
        CASES,
        List.of(
            new Sample(1, "put_1k.s", "ours", 1),
            new Sample(2, "put_1k.s", "ours", 3),
            new Sample(3, "put_1k.s", "ours", 1.5),
            new Sample(1, "put_10k.s", "ours", 2.5),
            new Sample(1, "put_10k.s", "spark", 20),
            new Sample(1, "something else", "ours", 9)));
  }

  @Test
  void programsGetMediansAndTheOtherSidesName() {
    assertEquals(
        List.of(
            "RATIO scale.put_1k.s 1.500",
            "RATIO scale.put_10k.s 2.500",
            "RATIO scale.spark.put_10k.s 20.000"),
        growth().ratioLines());
  }

  @Test
  void theTableSaysWhatIsReachedByOurSideAlone() {
    List<String> lines = growth().table().lines().toList();
    assertTrue(lines.get(1).contains("(1.000-3.000)   aim <= 2.00  reached"), lines.get(1));
    assertTrue(lines.get(2).contains("aim <= 2.00  missed"), lines.get(2));
    assertFalse(lines.get(3).contains("aim"), lines.get(3));
    assertEquals(4, lines.size());
  }

  @Test
  void theFileHasEverySampleOfTheCases() {
    List<String> lines = growth().csvLines();
    assertEquals("case,unit,series,size,round,side,value", lines.getFirst());
    assertEquals("put_1k.s,s,put.s,1000,2,ours,3.000", lines.get(2));
    assertEquals(6, lines.size());
  }

  @Test
  void nothingMeasuredIsAMistake() {
    assertThrows(
        IllegalArgumentException.class, () -> new Growth("scale", "outputs", CASES, List.of()));
  }

  @Test
  void aChartIsDrawnOfWhatHasTwoSizes(@TempDir Path folder) throws Exception {
    Path file = folder.resolve("growth.png");
    GrowthChart.write(growth(), file);
    assertTrue(Files.size(file) > 1_000, Files.size(file) + " bytes");
  }
}
