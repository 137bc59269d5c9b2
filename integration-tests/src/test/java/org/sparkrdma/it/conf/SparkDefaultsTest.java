package org.sparkrdma.it.conf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.spark.internal.config.ConfigEntry;
import org.apache.spark.shuffle.rdma.RdmaShuffleManager;
import org.apache.spark.shuffle.rdma.conf.ConfKey;
import org.apache.spark.shuffle.rdma.conf.RdmaConf;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Every key in the files for spark-defaults.conf exists, and its value is allowed. */
final class SparkDefaultsTest {

  private static final String HIBENCH = "hibench-spark.conf";

  /** Spark looks them up by their prefix; the rest is a name that the user chooses. */
  private static final List<String> OPEN_ENDED =
      List.of("spark.executorEnv.", "spark.yarn.appMasterEnv.", "spark.metrics.conf.");

  static List<String> files() throws IOException {
    return ConfFile.sparkDefaults();
  }

  /** The objects whose fields are Spark's keys; a key is registered when its object is loaded. */
  @BeforeAll
  static void loadSparksKeys() throws ClassNotFoundException {
    for (String name :
        List.of(
            "org.apache.spark.internal.config.package$",
            "org.apache.spark.internal.config.UI$",
            "org.apache.spark.deploy.k8s.Config$",
            "org.apache.spark.sql.internal.SQLConf$")) {
      Class.forName(name);
    }
  }

  @ParameterizedTest
  @MethodSource("files")
  void everyKeyExistsAndItsValueIsAllowed(String file) throws IOException {
    Map<String, String> all = ConfFile.allSettings(file);
    assertTrue(all.keySet().containsAll(ConfFile.settings(file).keySet()));
    assertFalse(all.isEmpty());
    all.forEach(SparkDefaultsTest::check);
    // Reads every key of ours, and throws for a value that isn't allowed.
    assertNotNull(new RdmaConf(all::get));
  }

  @ParameterizedTest
  @MethodSource("files")
  void settingsOfOursThatAreSwitchedOffStandThereWithTheirDefaults(String file) throws IOException {
    Map<String, String> on = ConfFile.settings(file);
    Map<String, String> all = ConfFile.allSettings(file);
    for (ConfKey key : ConfKey.values()) {
      String value = all.get(key.key());
      if (value != null && !on.containsKey(key.key())) {
        assertEquals(key.defaultValue(), value.strip(), key.key());
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"infiniband, verbs", "roce, verbs", "iwarp, verbs", "software, software"})
  void aNetworksFileHasWhatIsNeeded(String network, String fabric) {
    Map<String, String> set = ConfFile.settings("spark-defaults-" + network + ".conf");
    assertEquals(fabric, set.get(ConfKey.FABRIC.key()));
    assertEquals(RdmaShuffleManager.class.getName(), set.get("spark.shuffle.manager"));
    assertTrue(
        String.valueOf(set.get("spark.jars")).matches("(.*/)?spark-rdma-shuffle-[^/]*\\.jar"));
  }

  @Test
  void hiBenchsLinesAreSparksKeysAndFewOfItsOwn() throws IOException {
    Map<String, String> lines = new TreeMap<>();
    // As HiBench reads them: a line's first word is the key, and ${...} is another key's value.
    ConfFile.text(HIBENCH)
        .lines()
        .map(String::strip)
        .filter(line -> !line.isEmpty() && !line.startsWith("#"))
        .forEach(
            line -> {
              String[] words = line.split("\\s+", 2);
              lines.put(words[0], words[1].replaceAll("\\$\\{hibench\\.[a-z.]+}", "8"));
            });
    assertEquals(RdmaShuffleManager.class.getName(), lines.get("spark.shuffle.manager"));
    assertNotNull(lines.remove("hibench.spark.home"));
    // Spark-submit takes it by its name.
    assertTrue(String.valueOf(lines.remove("spark.master")).startsWith("spark://"));
    lines.forEach(SparkDefaultsTest::check);
    assertNotNull(new RdmaConf(lines::get));
  }

  @Test
  void anInventedKeyOrValueIsFound() {
    assertThrows(AssertionError.class, () -> check("spark.shuffle.rdma.fabrik", "auto"));
    assertThrows(AssertionError.class, () -> check("spark.shuffle.readHostLocalDisc", "true"));
    assertThrows(
        IllegalArgumentException.class, () -> check("spark.shuffle.readHostLocalDisk", "maybe"));
  }

  private static void check(String key, String value) {
    if (key.startsWith(ConfKey.PREFIX)) {
      assertTrue(
          Arrays.stream(ConfKey.values()).anyMatch(ours -> ours.key().equals(key)),
          () -> key + " is no key of ours");
    } else if (OPEN_ENDED.stream().noneMatch(key::startsWith)) {
      ConfigEntry<?> entry = ConfigEntry.findEntry(key);
      assertNotNull(entry, () -> key + " is no key of Spark's");
      assertNotNull(entry.valueConverter().apply(value));
    }
  }
}
