package org.apache.spark.shuffle.rdma.simulation;

import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** The way in for {@link MutantTest}, which runs the simulation on classes of another loader. */
public final class Seeds {

  private Seeds() {}

  /**
   * Runs seeds from 0 on until one doesn't hold.
   *
   * @param directory for files, empty
   * @return which, and what didn't hold; null if all do
   */
  public static @Nullable String firstViolation(Path directory, int seeds) throws IOException {
    MapFiles files = new MapFiles(directory);
    for (int seed = 0; seed < seeds; seed++) {
      try {
        var _ = Simulation.run(seed, files, false);
      } catch (AssertionError e) {
        return e.getMessage();
      }
    }
    return null;
  }
}
