package org.apache.spark.shuffle.rdma.conf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Properties;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.spark.shuffle.rdma.RdmaShuffleManager;
import org.junit.jupiter.api.Test;

/**
 * What users copy from works: Spark reads spark-defaults.conf as Java properties, and so does this.
 */
final class SparkDefaultsExampleTest {

  private static final Path EXAMPLE =
      Path.of(System.getProperty("basedir", "."))
          .resolve("../conf")
          .resolve("spark-defaults.conf.example");

  private static final String OURS = "spark.shuffle.rdma.";

  @Test
  void hasTheLinesThatAreNeeded() throws IOException {
    Properties set = properties(Files.readString(EXAMPLE));
    assertEquals(RdmaShuffleManager.class.getName(), set.getProperty("spark.shuffle.manager"));
    String jars = set.getProperty("spark.jars", "");
    assertTrue(jars.matches("(.*/)?spark-rdma-shuffle-[^/]*\\.jar"), jars);
  }

  @Test
  void everyKeyOfOursExistsAndItsValueIsAllowed() throws IOException {
    String text = Files.readString(EXAMPLE);
    Set<String> known =
        Arrays.stream(ConfKey.values()).map(ConfKey::key).collect(Collectors.toSet());
    Properties all = properties(switchedOn(text));
    assertFalse(all.isEmpty());
    for (String name : all.stringPropertyNames()) {
      assertTrue(known.contains(name) || !name.startsWith(OURS), name);
    }
    // Reads every key of ours, and throws for a value that isn't allowed.
    RdmaConf conf = new RdmaConf(all::getProperty);
    assertEquals("auto", conf.text(ConfKey.FABRIC));
  }

  @Test
  void settingsThatAreSwitchedOffStandThereWithTheirDefaults() throws IOException {
    String text = Files.readString(EXAMPLE);
    Properties on = properties(text);
    Properties all = properties(switchedOn(text));
    for (ConfKey key : ConfKey.values()) {
      String value = all.getProperty(key.key());
      if (value != null && !on.containsKey(key.key())) {
        assertEquals(key.defaultValue(), value.strip(), key.key());
      }
    }
  }

  /** A line {@code #spark.key value}, without a space, is a setting that's switched off. */
  private static String switchedOn(String text) {
    return text.lines()
        .map(line -> line.startsWith("#spark.") ? line.substring(1) : line)
        .collect(Collectors.joining("\n"));
  }

  private static Properties properties(String text) throws IOException {
    Properties properties = new Properties();
    properties.load(new StringReader(text));
    return properties;
  }
}
