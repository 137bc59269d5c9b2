package org.sparkrdma.it.conf;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.util.Map;
import org.apache.spark.shuffle.rdma.metrics.Counter;
import org.junit.jupiter.api.Test;

/** {@code ConfFilesIT} has a page of Spark's read by it. */
final class PrometheusExampleTest {

  @Test
  void countersAreKeptUnderShortNamesAndOtherMetricsAreDropped() throws IOException {
    PrometheusExample example = PrometheusExample.load();
    assertEquals("/metrics/prometheus/", example.path());
    for (Counter counter : Counter.values()) {
      String name = counter.label().replace('-', '_');
      String page =
          "metrics_spark_driver_RdmaShuffle_"
              + name
              + "_Value{type=\"gauges\"} 7\n"
              + "metrics_spark_driver_DAGScheduler_stage_failedStages_Value{type=\"gauges\"} 1\n";
      assertEquals(Map.of("spark_rdma_" + name, 7.0), example.samples(page));
    }
  }
}
