package org.apache.spark.shuffle.rdma;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import org.apache.spark.SparkEnv;
import org.apache.spark.shuffle.rdma.conf.ConfKey;
import org.apache.spark.shuffle.rdma.conf.RdmaConf;
import org.apache.spark.shuffle.rdma.fabric.Fabric;
import org.apache.spark.shuffle.rdma.fabric.FabricException;
import org.apache.spark.shuffle.rdma.fabric.software.SoftwareFabric;
import org.apache.spark.shuffle.rdma.fabric.software.SoftwareOptions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Chooses and starts an executor's fabric. */
final class Fabrics {

  private static final Logger LOG = LoggerFactory.getLogger(Fabrics.class);

  private Fabrics() {}

  /**
   * Starts the fabric that the configuration asks for; the log says which and why.
   *
   * @throws FabricException if it can't be had, with the reason and the remedy
   */
  static Fabric start(RdmaConf conf, SparkEnv env) throws FabricException {
    String choice = conf.text(ConfKey.FABRIC);
    Fabric fabric = SoftwareFabric.start(softwareOptions(conf, env));
    LOG.info(
        "Fabric {} ({}={}{})",
        fabric.name(),
        ConfKey.FABRIC.key(),
        choice,
        choice.equals("auto") ? ", and this version has no verbs fabric yet" : "");
    warnOfLoopback(conf, env);
    return fabric;
  }

  /** As where a host's own name stands for 127.0.1.1 in its hosts file. */
  private static void warnOfLoopback(RdmaConf conf, SparkEnv env) {
    String host = bindHost(conf, env);
    String driver = env.conf().get("spark.driver.host", host);
    if (isLoopback(host) && !isLoopback(driver)) {
      LOG.warn(
          "{} is a loopback address here, so executors on other hosts can't connect and their"
              + " blocks go by TCP: set {}",
          host,
          ConfKey.BIND_ADDRESS.key());
    }
  }

  private static boolean isLoopback(String host) {
    try {
      return InetAddress.getByName(host).isLoopbackAddress();
    } catch (UnknownHostException e) {
      return false;
    }
  }

  private static String bindHost(RdmaConf conf, SparkEnv env) {
    String bind = conf.text(ConfKey.BIND_ADDRESS);
    return bind.isEmpty() ? env.blockManager().blockManagerId().host() : bind;
  }

  private static SoftwareOptions softwareOptions(RdmaConf conf, SparkEnv env) {
    String secret =
        env.securityManager().isAuthenticationEnabled()
            ? env.securityManager().getSecretKey()
            : null;
    return new SoftwareOptions(
        bindHost(conf, env),
        conf.flag(ConfKey.SOFTWARE_DIRECT),
        conf.flag(ConfKey.SOFTWARE_ALLOW_PTRACER),
        conf.integer(ConfKey.CONNECT_TIMEOUT_MILLIS),
        secret == null ? null : secret.getBytes(StandardCharsets.UTF_8),
        env.executorId());
  }
}
