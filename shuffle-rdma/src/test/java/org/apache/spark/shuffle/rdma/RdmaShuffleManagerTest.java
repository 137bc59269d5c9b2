package org.apache.spark.shuffle.rdma;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.DataInputStream;
import java.io.InputStream;
import java.util.Map;
import org.apache.spark.SparkConf;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class RdmaShuffleManagerTest {

  @ParameterizedTest
  @CsvSource({"25, 4.2.0", "25, 4.2.7", "26, 4.2.0"})
  void theseVersionsAreFine(int java, String spark) {
    assertNull(RdmaShuffleManager.reasonAgainst(java, spark));
  }

  @ParameterizedTest
  @CsvSource({"3.5.6", "4.1.3", "4.20.0", "5.0.0"})
  void anotherSparkIsNamed(String version) {
    String reason = String.valueOf(RdmaShuffleManager.reasonAgainst(25, version));
    assertTrue(reason.contains("Spark " + version), reason);
  }

  @ParameterizedTest
  @CsvSource({"17", "21", "24"})
  void anOlderJavaIsNamed(int version) {
    String reason = String.valueOf(RdmaShuffleManager.reasonAgainst(version, "4.2.0"));
    assertTrue(reason.contains("Java " + version) && reason.contains("JAVA_HOME"), reason);
  }

  @Test
  void onlyTheEntryIsCompiledForAnOlderJava() throws Exception {
    assertEquals(61, classFileVersion("RdmaShuffleManager"));
    assertEquals(69, classFileVersion("OneSidedShuffleManager"));
  }

  @Test
  void whatTheConfigurationForbidsLeavesTheSortShuffle() {
    SparkConf conf = new SparkConf(false).set("spark.master", "local[2]");
    RdmaShuffleManager manager = new RdmaShuffleManager(conf, true);
    assertFalse(manager.isActive());
    assertEquals(Map.of(), manager.counters());
    assertNotNull(manager.shuffleBlockResolver());
    manager.stop();
  }

  /** The first two bytes after the magic number and the minor version. */
  private static int classFileVersion(String name) throws Exception {
    try (InputStream file = RdmaShuffleManager.class.getResourceAsStream(name + ".class");
        DataInputStream input = new DataInputStream(file)) {
      input.skipNBytes(6);
      return input.readUnsignedShort();
    }
  }
}
