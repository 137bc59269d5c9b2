package org.apache.spark.shuffle.rdma.simulation;

import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.core.LoggerContext;
import org.apache.logging.log4j.core.config.Configurator;

/** Turns the manager's log off: each simulated defect would be there with its stack trace. */
final class Quiet implements AutoCloseable {

  private static final String LOGGER = "org.apache.spark.shuffle.rdma";

  Quiet() {
    Configurator.setLevel(LOGGER, Level.OFF);
  }

  /** For as long as the loader lives. */
  static void classesOf(ClassLoader loader) {
    LoggerContext context = (LoggerContext) LogManager.getContext(loader, false);
    Configurator.setLevel(context.getLogger(LOGGER), Level.OFF);
  }

  @Override
  public void close() {
    Configurator.setLevel(LOGGER, Level.INFO);
  }
}
