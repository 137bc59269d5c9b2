package org.sparkrdma.it.conf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.core.config.Configuration;
import org.apache.logging.log4j.core.config.ConfigurationSource;
import org.apache.logging.log4j.core.config.properties.PropertiesConfigurationFactory;
import org.apache.spark.SparkContext;
import org.apache.spark.shuffle.rdma.RdmaShuffleManager;
import org.junit.jupiter.api.Test;

/** Log4j reads the lines behind those that Spark brings. */
final class LoggingLinesTest {

  private static final String LINES = "log4j2-rdma.properties";
  private static final String ROOT = RdmaShuffleManager.class.getPackageName();

  @Test
  void oursAreShownAtInfoAlsoWhereTheRestIsNot() throws IOException {
    Configuration configuration = load(ConfFile.text(LINES));
    configuration.getRootLogger().setLevel(Level.WARN);
    assertEquals(Level.WARN, level(configuration, "org.apache.spark.storage.BlockManager"));
    assertEquals(Level.INFO, level(configuration, RdmaShuffleManager.class.getName()));
    assertEquals(Level.INFO, level(configuration, ROOT + ".fetch.Request"));
  }

  @Test
  void theLinesThatAreSwitchedOffTurnDebugOn() throws Exception {
    Configuration configuration = load(ConfFile.text(LINES).replace("#logger.", "logger."));
    for (String name :
        new String[] {"RdmaShuffleManager", "RdmaBlockStoreClient", "fetch.Request"}) {
      String logger = ROOT + "." + name;
      assertNotNull(Class.forName(logger, false, getClass().getClassLoader()));
      assertEquals(Level.DEBUG, level(configuration, logger), logger);
    }
    assertEquals(Level.INFO, level(configuration, ROOT + ".location.Directory"));
  }

  private static Level level(Configuration configuration, String logger) {
    return configuration.getLoggerConfig(logger).getLevel();
  }

  private static Configuration load(String lines) throws IOException {
    try (InputStream sparks =
        SparkContext.class.getResourceAsStream("/org/apache/spark/log4j2-defaults.properties")) {
      assertNotNull(sparks);
      String all = new String(sparks.readAllBytes(), StandardCharsets.UTF_8) + "\n" + lines;
      Configuration configuration =
          new PropertiesConfigurationFactory()
              .getConfiguration(
                  null,
                  new ConfigurationSource(
                      new ByteArrayInputStream(all.getBytes(StandardCharsets.UTF_8))));
      configuration.initialize();
      return configuration;
    }
  }
}
