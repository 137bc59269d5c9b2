package org.apache.spark.shuffle.rdma.fabric.verbs;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import org.apache.spark.shuffle.rdma.fabric.FabricException;
import org.jspecify.annotations.Nullable;
import org.sparkrdma.verbs.DeviceInfo;
import org.sparkrdma.verbs.Devices;

/** The devices under test: of RDMA_TEST_ADDRESS, and of RDMA_TEST_PEER_ADDRESS if there's one. */
final class Verbs {

  private Verbs() {}

  /** Starts a fabric; the owner "server" has the one device, all others have the other. */
  static VerbsFabric start(String owner) throws FabricException {
    return VerbsFabric.start(options(owner, null));
  }

  static VerbsOptions options(String owner, byte @Nullable [] secret) {
    return options(owner, secret, List.of(address(owner)));
  }

  static VerbsOptions options(String owner, byte @Nullable [] secret, List<InetAddress> addresses) {
    return new VerbsOptions(
        addresses, "", 0, 0, 6, 6, 16, 20_000, 16, 64, 1024, 60_000, secret, owner);
  }

  /** The options with another limit of open connections, and time until idle ones close. */
  static VerbsOptions limits(VerbsOptions from, int maxConnections, int idleMillis) {
    return with(
        from, from.addresses(), "", 0, from.connectTimeoutMillis(), maxConnections, idleMillis);
  }

  /** The options with half a second for a connect. */
  static VerbsOptions hasty(VerbsOptions from) {
    return with(from, from.addresses(), "", 0, 500, from.maxConnections(), from.idleMillis());
  }

  /** The options with other addresses, and a device and port that are wanted. */
  static VerbsOptions choice(
      VerbsOptions from, List<InetAddress> addresses, String device, int port) {
    return with(
        from,
        addresses,
        device,
        port,
        from.connectTimeoutMillis(),
        from.maxConnections(),
        from.idleMillis());
  }

  private static VerbsOptions with(
      VerbsOptions from,
      List<InetAddress> addresses,
      String device,
      int port,
      int connectTimeoutMillis,
      int maxConnections,
      int idleMillis) {
    return new VerbsOptions(
        addresses,
        device,
        port,
        from.trafficClass(),
        from.retries(),
        from.notReadyRetries(),
        from.readDepth(),
        connectTimeoutMillis,
        from.maxConnecting(),
        maxConnections,
        from.maxAccepted(),
        idleMillis,
        from.secret(),
        from.owner());
  }

  static InetAddress address(String owner) {
    String own = System.getenv("RDMA_TEST_ADDRESS");
    String peer = System.getenv("RDMA_TEST_PEER_ADDRESS");
    try {
      return InetAddress.getByName(owner.startsWith("server") || peer == null ? own : peer);
    } catch (UnknownHostException e) {
      throw new IllegalStateException(e);
    }
  }

  static boolean isIwarp() {
    return Devices.list().stream()
        .anyMatch(device -> device.transport() == DeviceInfo.Transport.IWARP);
  }
}
