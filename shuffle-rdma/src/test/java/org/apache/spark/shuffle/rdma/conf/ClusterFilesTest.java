package org.apache.spark.shuffle.rdma.conf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Pod;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.core.LoggerContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The files of conf/ that aren't Spark's own are what their readers take. */
final class ClusterFilesTest {

  private static List<String> lines(String name) throws Exception {
    return Files.readAllLines(SparkDefaultsTest.CONF.resolve(name)).stream()
        .filter(line -> !line.isBlank() && !line.startsWith("#"))
        .toList();
  }

  @Test
  void thePodTemplateLocksMemoryAndAsksForADevice() throws Exception {
    Pod pod =
        new YAMLMapper()
            .readValue(
                SparkDefaultsTest.CONF.resolve("kubernetes-executor.yaml").toFile(), Pod.class);
    // What the model doesn't know, Kubernetes wouldn't either.
    assertEquals(Map.of(), pod.getAdditionalProperties());
    assertEquals(Map.of(), pod.getSpec().getAdditionalProperties());
    assertEquals(1, pod.getSpec().getContainers().size());
    Container container = pod.getSpec().getContainers().getFirst();
    assertEquals(Map.of(), container.getAdditionalProperties());
    // Spark looks for this name, or takes the first.
    assertEquals("spark-kubernetes-executor", container.getName());
    assertEquals(List.of("IPC_LOCK"), container.getSecurityContext().getCapabilities().getAdd());
    assertEquals(container.getResources().getRequests(), container.getResources().getLimits());
    assertEquals(1, container.getResources().getLimits().size());
  }

  @Test
  void limitsHaveFourFieldsAndKnownWords() throws Exception {
    List<String> lines = lines("limits.conf");
    assertEquals(2, lines.size());
    for (String line : lines) {
      assertTrue(line.matches("\\S+ +(soft|hard) +memlock +unlimited"), line);
    }
  }

  @Test
  void theDropInIsOfAService() throws Exception {
    assertEquals(List.of("[Service]", "LimitMEMLOCK=infinity"), lines("systemd-memlock.conf"));
  }

  @Test
  void log4jTakesTheLines(@TempDir Path folder) throws Exception {
    Path whole = folder.resolve("log4j2.properties");
    Files.writeString(
        whole,
        "rootLogger.level = warn\n"
            + Files.readString(SparkDefaultsTest.CONF.resolve("log4j2.properties")));
    try (LoggerContext context = new LoggerContext("conf", null, whole.toUri())) {
      context.start();
      assertEquals(
          Level.INFO, context.getLogger("org.apache.spark.shuffle.rdma.Fabrics").getLevel());
      assertEquals(Level.WARN, context.getLogger("org.apache.spark.storage").getLevel());
    }
  }

  /** MetricsIT scrapes it from a driver. */
  @Test
  void prometheusHasOneJobWithThePathOfADriver() throws Exception {
    JsonNode all =
        new YAMLMapper().readTree(SparkDefaultsTest.CONF.resolve("prometheus.yml").toFile());
    assertEquals(1, all.get("scrape_configs").size());
    JsonNode job = all.get("scrape_configs").get(0);
    assertEquals("/metrics/prometheus/", job.get("metrics_path").asText());
    assertEquals("driver-host:4040", job.at("/static_configs/0/targets/0").asText());
  }
}
