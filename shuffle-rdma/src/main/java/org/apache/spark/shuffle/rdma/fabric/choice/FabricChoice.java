package org.apache.spark.shuffle.rdma.fabric.choice;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import org.apache.spark.shuffle.rdma.conf.ConfKey;
import org.apache.spark.shuffle.rdma.conf.RdmaConf;
import org.apache.spark.shuffle.rdma.fabric.Fabric;
import org.apache.spark.shuffle.rdma.fabric.software.SoftwareFabric;
import org.apache.spark.shuffle.rdma.fabric.software.SoftwareOptions;
import org.apache.spark.shuffle.rdma.fabric.verbs.VerbsFabric;
import org.apache.spark.shuffle.rdma.fabric.verbs.VerbsOptions;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Chooses and starts an executor's fabric. Immutable; may be used by any thread. */
public final class FabricChoice {

  private static final Logger LOG = LoggerFactory.getLogger(FabricChoice.class);

  /** Executors of an application far larger than any that is known. */
  private static final int MAX_ACCEPTED = 20_000;

  /** What to do about a loopback address. */
  public static final String LOOPBACK_REMEDY = "set " + ConfKey.BIND_ADDRESS.key();

  private final RdmaConf conf;
  private final String host;
  private final String owner;
  private final byte @Nullable [] secret;

  /**
   * What the choice depends on.
   *
   * @param host what Spark's block manager gives out: the address where nothing else is configured
   * @param owner the executor's id
   * @param secret the application's secret, 1 byte or more; null when spark.authenticate is off
   */
  public FabricChoice(RdmaConf conf, String host, String owner, byte @Nullable [] secret) {
    this.conf = conf;
    this.host = host;
    this.owner = owner;
    this.secret = secret == null ? null : secret.clone();
  }

  /**
   * Starts the fabric that the configuration asks for; the log says which and why.
   *
   * @param driverHost where the driver is: a warning says if it couldn't be reached from here
   * @throws IOException if the fabric can't be had, with the reason and the remedy
   */
  public Fabric start(String driverHost) throws IOException {
    String choice = conf.text(ConfKey.FABRIC);
    String why = "";
    if (!choice.equals("software")) {
      try {
        Fabric fabric = VerbsFabric.start(verbsOptions());
        LOG.info("Fabric verbs ({}={})", ConfKey.FABRIC.key(), choice);
        return fabric;
      } catch (IOException | IllegalCallerException e) {
        if (choice.equals("verbs")) {
          throw e;
        }
        why = ", since " + e.getMessage();
      }
    }
    String bindHost =
        LocalAddresses.of(conf.text(ConfKey.BIND_ADDRESS), host).getFirst().getHostAddress();
    Fabric fabric = SoftwareFabric.start(softwareOptions(bindHost));
    LOG.info("Fabric software ({}={}{})", ConfKey.FABRIC.key(), choice, why);
    warnOfLoopback(bindHost, driverHost);
    return fabric;
  }

  /** As where a host's own name stands for 127.0.1.1 in its hosts file. */
  private static void warnOfLoopback(String bindHost, String driverHost) {
    if (isLoopback(bindHost) && !isLoopback(driverHost)) {
      LOG.warn("{}: {}", loopback(bindHost), LOOPBACK_REMEDY);
    }
  }

  /** What a loopback address means. */
  public static String loopback(String bindHost) {
    return bindHost
        + " is a loopback address here, so executors on other hosts can't connect and their"
        + " blocks go by TCP";
  }

  private static boolean isLoopback(String name) {
    try {
      return InetAddress.getByName(name).isLoopbackAddress();
    } catch (UnknownHostException e) {
      return false;
    }
  }

  private SoftwareOptions softwareOptions(String bindHost) {
    return new SoftwareOptions(
        bindHost,
        conf.flag(ConfKey.SAME_HOST_DIRECT),
        conf.flag(ConfKey.SOFTWARE_ALLOW_PTRACER),
        conf.integer(ConfKey.CONNECT_TIMEOUT_MILLIS),
        secret,
        conf.integer(ConfKey.IDLE_MILLIS),
        owner);
  }

  private VerbsOptions verbsOptions() throws IOException {
    String bind = conf.text(ConfKey.BIND_ADDRESS);
    List<InetAddress> addresses = LocalAddresses.of(bind, host);
    if (bind.isEmpty()) {
      // librdmacm takes any device for one, which nobody could connect to.
      addresses = addresses.stream().filter(address -> !address.isLoopbackAddress()).toList();
    }
    return new VerbsOptions(
        addresses,
        conf.text(ConfKey.DEVICE),
        conf.integer(ConfKey.PORT),
        conf.integer(ConfKey.TRAFFIC_CLASS),
        conf.integer(ConfKey.RETRY_COUNT),
        conf.integer(ConfKey.NOT_READY_RETRY_COUNT),
        conf.integer(ConfKey.READ_DEPTH),
        conf.integer(ConfKey.CONNECT_TIMEOUT_MILLIS),
        conf.integer(ConfKey.MAX_CONNECTING),
        conf.integer(ConfKey.MAX_CONNECTIONS),
        MAX_ACCEPTED,
        conf.integer(ConfKey.IDLE_MILLIS),
        secret,
        owner);
  }
}
