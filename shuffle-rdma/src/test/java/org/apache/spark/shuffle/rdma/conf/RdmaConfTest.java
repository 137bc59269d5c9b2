package org.apache.spark.shuffle.rdma.conf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class RdmaConfTest {

  @Test
  void everyDefaultIsAllowed() {
    RdmaConf conf = new RdmaConf(key -> null);
    assertEquals("auto", conf.text(ConfKey.FABRIC));
    assertFalse(conf.flag(ConfKey.ALLOW_UNENCRYPTED));
    assertEquals(64L << 20, conf.number(ConfKey.PAGE_CACHE_BYTES));
    assertEquals(1000, conf.integer(ConfKey.LEASE_MILLIS));
  }

  @ParameterizedTest
  @CsvSource({
    "1048576, 1048576",
    "1m, 1048576",
    "2 GB, 2147483648",
    "64KiB, 65536",
    "1t, 1099511627776"
  })
  void readsSizesAsSparkWritesThem(String text, long bytes) {
    assertEquals(bytes, with(ConfKey.PAGE_CACHE_BYTES, text).number(ConfKey.PAGE_CACHE_BYTES));
  }

  @ParameterizedTest
  @CsvSource({
    "FABRIC, infiniband",
    "FABRIC, ''",
    "ALLOW_UNENCRYPTED, yes",
    "BUFFER_POOL_BYTES, -1",
    "BUFFER_POOL_BYTES, 4095",
    "BUFFER_POOL_BYTES, 2t",
    "PAGE_CACHE_BYTES, 1k",
    "PAGE_CACHE_BYTES, 99999999999999999999",
    "PAGE_CACHE_BYTES, 999999999999999999t",
    "LEASE_MILLIS, 0",
    "LEASE_MILLIS, 5s",
    "LEASE_MILLIS, 1k",
    "READ_TIMEOUT_MILLIS, -10000",
  })
  void aWrongValueIsAnErrorThatNamesKeyAndValueAndWhatIsAllowed(ConfKey key, String value) {
    var error = assertThrows(IllegalArgumentException.class, () -> with(key, value));
    assertTrue(error.toString().contains(key.key() + "=" + value), error::toString);
    assertTrue(error.toString().contains(key.allowed()), error::toString);
  }

  private static RdmaConf with(ConfKey key, String value) {
    return new RdmaConf(Map.of(key.key(), value)::get);
  }
}
