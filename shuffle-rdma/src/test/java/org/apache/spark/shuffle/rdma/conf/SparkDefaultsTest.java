package org.apache.spark.shuffle.rdma.conf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.spark.internal.config.ConfigEntry;
import org.apache.spark.shuffle.rdma.RdmaShuffleManager;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What users copy from conf/ works: Spark reads spark-defaults.conf as Java properties, and so does
 * this.
 */
final class SparkDefaultsTest {

  static final Path CONF = Path.of(System.getProperty("basedir", ".")).resolve("../conf");

  private static final Path EXAMPLE = CONF.resolve("spark-defaults.conf.example");

  private static final String OURS = "spark.shuffle.rdma.";

  /** Of Spark's modules for YARN and for an executor's environment, which no entry declares. */
  private static final List<String> ELSEWHERE = List.of("spark.yarn.", "spark.executorEnv.");

  static List<Path> files() throws IOException {
    try (Stream<Path> all = Files.list(CONF)) {
      return all.filter(file -> file.getFileName().toString().contains("spark")).toList();
    }
  }

  @Test
  void allAreThere() throws IOException {
    assertEquals(
        Set.of(
            "spark-defaults.conf.example",
            "spark-defaults-infiniband.conf",
            "spark-defaults-roce.conf",
            "spark-defaults-iwarp.conf",
            "spark-defaults-software.conf",
            "spark-defaults-yarn.conf",
            "hibench-spark.conf"),
        files().stream().map(file -> file.getFileName().toString()).collect(Collectors.toSet()));
  }

  @ParameterizedTest
  @MethodSource("files")
  void everyKeyExistsAndItsValueIsAllowed(Path file) throws IOException {
    Set<String> known =
        Arrays.stream(ConfKey.values()).map(ConfKey::key).collect(Collectors.toSet());
    // Registers Spark's own keys.
    assertTrue(org.apache.spark.internal.config.package$.MODULE$.SHUFFLE_MANAGER() != null);
    Properties all = properties(switchedOn(Files.readString(file)));
    for (String name : all.stringPropertyNames()) {
      boolean declared =
          name.startsWith(OURS)
              ? known.contains(name)
              : ConfigEntry.findEntry(name) != null
                  || name.equals("spark.master")
                  || ELSEWHERE.stream().anyMatch(name::startsWith);
      assertTrue(declared, name);
    }
    // Reads every key of ours, and throws for a value that isn't allowed.
    var _ = new RdmaConf(all::getProperty);
  }

  @ParameterizedTest
  @MethodSource("files")
  void theJarAndTheManagerAreNamed(Path file) throws IOException {
    Properties set = properties(Files.readString(file));
    String jars = set.getProperty("spark.jars", "");
    assertTrue(jars.matches("(.*/)?spark-rdma-shuffle-[^/]*\\.jar"), jars);
    if (!file.endsWith("spark-defaults-yarn.conf")) {
      assertEquals(RdmaShuffleManager.class.getName(), set.getProperty("spark.shuffle.manager"));
    }
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
