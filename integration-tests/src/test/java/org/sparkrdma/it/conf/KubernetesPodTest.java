package org.sparkrdma.it.conf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.util.List;
import java.util.Map;
import org.apache.spark.SecurityManager;
import org.apache.spark.SparkConf;
import org.apache.spark.deploy.k8s.KubernetesConf;
import org.apache.spark.deploy.k8s.SparkPod;
import org.apache.spark.resource.ResourceProfile$;
import org.apache.spark.scheduler.cluster.k8s.KubernetesExecutorBuilder;
import org.junit.jupiter.api.Test;
import scala.Option;

/** Spark itself makes an executor's pod of the template and the lines; no cluster is asked. */
final class KubernetesPodTest {

  private static final String DEVICE = "rdma/hca_shared_devices_a";

  @Test
  void anExecutorsPodMayLockMemoryAndHasTheDeviceAndTheOverhead() {
    SparkPod pod = executorPod();
    Container container = pod.container();
    assertEquals("spark-kubernetes-executor", container.getName());
    assertEquals(List.of("IPC_LOCK"), container.getSecurityContext().getCapabilities().getAdd());
    Map<String, Quantity> limits = container.getResources().getLimits();
    assertEquals(new Quantity("1"), limits.get(DEVICE));
    assertEquals(new Quantity("1"), container.getResources().getRequests().get(DEVICE));
    assertEquals(new Quantity("5120Mi"), limits.get("memory"));
    assertTrue(pod.pod().getMetadata().getAnnotations().containsKey("k8s.v1.cni.cncf.io/networks"));
    assertTrue(
        container.getEnv().stream()
            .anyMatch(
                variable ->
                    variable.getName().equals("SPARK_CLASSPATH")
                        && variable.getValue().contains("/spark-rdma-shuffle-")));
  }

  private static SparkPod executorPod() {
    SparkConf conf = new SparkConf(false);
    ConfFile.settings("spark-defaults-kubernetes.conf").forEach(conf::set);
    conf.set(
        "spark.kubernetes.executor.podTemplateFile",
        ConfFile.path("kubernetes-executor.yaml").toString());
    conf.set("spark.executor.memory", "1g");
    conf.set("spark.driver.host", "driver.example");
    conf.set("spark.driver.port", "7078");
    try (KubernetesClient client = new KubernetesClientBuilder().build()) {
      return new KubernetesExecutorBuilder()
          .buildFromFeatures(
              KubernetesConf.createExecutorConf(conf, "1", "application", Option.empty(), 0),
              new SecurityManager(
                  conf, Option.empty(), SecurityManager.$lessinit$greater$default$3()),
              client,
              ResourceProfile$.MODULE$.getOrCreateDefaultProfile(conf))
          .pod();
    }
  }
}
