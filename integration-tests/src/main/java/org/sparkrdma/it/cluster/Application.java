package org.sparkrdma.it.cluster;

import java.nio.file.Path;
import java.time.Duration;

/** A submitted application: its driver's process. Ends with the cluster at the latest. */
public final class Application {

  private final LoggedProcess driver;
  private final Duration timeout;

  Application(LoggedProcess driver, Duration timeout) {
    this.driver = driver;
    this.timeout = timeout;
  }

  /** What the driver printed, on both streams. */
  public Path log() {
    return driver.log();
  }

  /** The driver. */
  public ProcessHandle process() {
    return driver.process().toHandle();
  }

  /**
   * Waits for the driver's end and gives its exit code.
   *
   * @throws ClusterException if it takes longer than the submission allows; it's killed then
   */
  public int awaitExit() throws ClusterException, InterruptedException {
    try {
      return driver.awaitExit(timeout);
    } catch (ClusterException e) {
      driver.process().destroyForcibly();
      throw e;
    }
  }

  /**
   * Waits for the driver's end.
   *
   * @throws ClusterException if it fails or takes longer than the submission allows
   */
  public void awaitSuccess() throws ClusterException, InterruptedException {
    int exit = awaitExit();
    if (exit != 0) {
      throw driver.failure("failed with exit code " + exit);
    }
  }
}
