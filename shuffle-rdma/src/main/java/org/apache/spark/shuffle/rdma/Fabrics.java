package org.apache.spark.shuffle.rdma;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.apache.spark.SparkEnv;
import org.apache.spark.shuffle.rdma.conf.RdmaConf;
import org.apache.spark.shuffle.rdma.fabric.Fabric;
import org.apache.spark.shuffle.rdma.fabric.choice.FabricChoice;

/** Starts the fabric of an executor as Spark's environment says. */
final class Fabrics {

  private Fabrics() {}

  /**
   * Starts the fabric that the configuration asks for; the log says which and why.
   *
   * @throws IOException if it can't be had, with the reason and the remedy
   */
  static Fabric start(RdmaConf conf, SparkEnv env) throws IOException {
    String secret =
        env.securityManager().isAuthenticationEnabled()
            ? env.securityManager().getSecretKey()
            : null;
    String host = env.blockManager().blockManagerId().host();
    byte[] proven = secret == null ? null : secret.getBytes(StandardCharsets.UTF_8);
    return new FabricChoice(conf, host, env.executorId(), proven)
        .start(env.conf().get("spark.driver.host", host));
  }
}
