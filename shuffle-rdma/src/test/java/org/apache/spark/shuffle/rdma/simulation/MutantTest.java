package org.apache.spark.shuffle.rdma.simulation;

import static org.junit.jupiter.api.Assertions.assertNotNull;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The simulation finds defects: otherwise that it finds none would say nothing. */
final class MutantTest {

  /** A fifth of what {@link SimulationTest} runs; most are found by the first few. */
  private static final int SEEDS = 4000;

  @TempDir private Path directory;

  @ParameterizedTest
  @EnumSource
  void isFound(Mutant mutant) throws Exception {
    MutantLoader loader = MutantLoader.of(mutant, Files.createDirectory(directory.resolve("java")));
    Object found =
        loader
            .loadClass(Seeds.class.getName())
            .getMethod("firstViolation", Path.class, int.class)
            .invoke(null, Files.createDirectory(directory.resolve("data")), SEEDS);
    assertNotNull(found, mutant + " wasn't found by " + SEEDS + " seeds");
    System.out.println(mutant + " found: " + found);
  }
}
