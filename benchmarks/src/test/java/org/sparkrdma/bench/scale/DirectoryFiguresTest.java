package org.sparkrdma.bench.scale;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.apache.spark.shuffle.rdma.memory.OutputLocation;
import org.junit.jupiter.api.Test;
import org.sparkrdma.bench.GrowthCase;

class DirectoryFiguresTest {

  @Test
  void aThousandOutputsGiveAllFiguresOfTheDirectory() throws Exception {
    Map<String, Double> figures = new HashMap<>();
    new DirectoryFigures(1_000).measure(figures::put);
    Set<String> known = new HashSet<>();
    for (GrowthCase grown : ScaleCases.all()) {
      assertTrue(known.add(grown.compared().label()), "twice: " + grown);
    }
    assertTrue(known.containsAll(figures.keySet()), figures.keySet() + " and " + known);
    assertEquals(7, figures.size());
    figures.forEach((label, value) -> assertTrue(value > 0, label + ": " + value));
    double whole = figures.getOrDefault(ScaleCases.lookupBytes(1_000), 0.0);
    double delta = figures.getOrDefault(ScaleCases.retryBytes(1_000), 0.0);
    assertTrue(delta < whole / 10, "a delta of " + delta + " bytes, the whole has " + whole);
  }

  @Test
  void everyProcessSimulatesTheSameApplication() {
    SimulatedApplication one = new SimulatedApplication(10);
    SimulatedApplication other = new SimulatedApplication(10);
    Set<OutputLocation> all = new HashSet<>();
    for (int i = 0; i < 100; i++) {
      OutputLocation location = one.write(one.writer(i));
      assertEquals(location, other.write(other.writer(i)));
      assertEquals(i, location.mapId());
      all.add(location);
    }
    assertEquals(100, all.size());
  }

  @Test
  void connectionsGrowWithExecutorsAndNotWithReducers() throws Exception {
    try (ReadingExecutor reader = new ReadingExecutor(7)) {
      assertEquals(7, reader.read(1));
      assertEquals(7, reader.read(2));
    }
  }
}
