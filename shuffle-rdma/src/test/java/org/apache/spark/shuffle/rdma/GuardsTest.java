package org.apache.spark.shuffle.rdma;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.apache.spark.SparkConf;
import org.apache.spark.shuffle.rdma.conf.RdmaConf;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class GuardsTest {

  @Test
  void aClusterOfThisSparkIsFine() {
    assertNull(reason());
    assertNull(reason("spark.master", "local-cluster[2,1,1024]"));
    assertNull(reason("spark.io.encryption.enabled", "true"));
    assertNull(reason("spark.authenticate", "true"));
    assertNull(reason("spark.shuffle.rdma.fabric", "verbs"));
  }

  @ParameterizedTest
  @CsvSource({
    "spark.shuffle.rdma.fabric, off, spark.shuffle.rdma.fabric=off",
    "spark.master, local, local mode",
    "spark.master, local[4], local mode",
    "spark.shuffle.useOldFetchProtocol, true, useOldFetchProtocol",
    "spark.shuffle.sort.io.plugin.class, com.example.Io, com.example.Io",
    "spark.network.crypto.enabled, true, spark.network.crypto.enabled",
    "spark.authenticate.enableSaslEncryption, true, enableSaslEncryption",
    "spark.ssl.rpc.enabled, true, spark.ssl.rpc.enabled",
  })
  void whatForbidsReadsIsSaid(String key, String value, String said) {
    String reason = String.valueOf(reason(key, value));
    assertTrue(reason.contains(said), reason);
    assertEquals(1, reason.lines().count());
  }

  @Test
  void anEncryptedWireCanBeDoneWithout() {
    assertNull(
        reason(
            "spark.network.crypto.enabled", "true", "spark.shuffle.rdma.allowUnencrypted", "true"));
  }

  private static @Nullable String reason(String... settings) {
    SparkConf conf = new SparkConf(false).set("spark.master", "spark://host:7077");
    for (int i = 0; i < settings.length; i += 2) {
      conf.set(settings[i], settings[i + 1]);
    }
    return Guards.reasonAgainst(conf, new RdmaConf(key -> conf.get(key, null)));
  }
}
