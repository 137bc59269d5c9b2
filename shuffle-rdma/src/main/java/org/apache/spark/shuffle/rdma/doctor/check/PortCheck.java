package org.apache.spark.shuffle.rdma.doctor.check;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.sparkrdma.verbs.DeviceInfo;
import org.sparkrdma.verbs.Gid;
import org.sparkrdma.verbs.PortAttributes;

/**
 * One port of a device.
 *
 * @param gids those of the port
 */
record PortCheck(SystemFiles files, DeviceInfo device, PortAttributes port, List<Gid> gids) {

  /** What an interface with Ethernet's usual MTU of 1500 can't have. */
  private static final int GOOD_ROCE_MTU = 2048;

  /** State, speed and MTU. */
  Finding link() {
    String folder = "/sys/class/infiniband/" + device.name() + "/ports/" + port.port();
    String found =
        port.state()
            + ", "
            + files.text(folder + "/rate").orElse("speed unknown")
            + ", MTU "
            + port.activeMtuBytes()
            + ", link layer "
            + port.linkLayer();
    boolean small = isRoce() && port.activeMtuBytes() < GOOD_ROCE_MTU;
    if (port.state() != PortAttributes.State.ACTIVE) {
      return warn(Topic.PORT, found, "check cable, switch and `ip link`");
    }
    return small
        ? warn(
            Topic.PORT,
            found,
            "RoCE's packets are small: `ip link set INTERFACE mtu 9000` here, on the peers and on"
                + " the switches")
        : Finding.good(Topic.PORT, subject(), found);
  }

  /** One finding for each IP address; for InfiniBand, one for the port. */
  List<Finding> addresses() {
    if (device.transport() == DeviceInfo.Transport.IWARP) {
      return List.of();
    }
    if (!isRoce()) {
      return List.of(
          Finding.good(
              Topic.GID, subject(), gids.size() + " GIDs of InfiniBand, LID " + port.lid()));
    }
    Map<InetAddress, Set<Gid.Type>> types = new LinkedHashMap<>();
    for (Gid gid : gids) {
      if (!gid.address().isLinkLocalAddress()) {
        types.computeIfAbsent(gid.address(), address -> new TreeSet<>()).add(gid.type());
      }
    }
    if (types.isEmpty()) {
      return List.of(
          warn(
              Topic.GID,
              "no IP address",
              "give an IP address to the device's network interface (`rdma link` names it)"));
    }
    List<Finding> found = new ArrayList<>();
    types.forEach((address, versions) -> found.add(address(address, versions)));
    return found;
  }

  private Finding address(InetAddress address, Set<Gid.Type> versions) {
    String found = address.getHostAddress() + ", " + versions;
    return versions.contains(Gid.Type.ROCE_V2)
        ? Finding.good(Topic.GID, subject(), found)
        : warn(
            Topic.GID,
            found,
            "RoCE v1 doesn't cross routers: let the driver offer v2, see cma_roce_mode");
  }

  private boolean isRoce() {
    return port.linkLayer() == PortAttributes.LinkLayer.ETHERNET
        && device.transport() != DeviceInfo.Transport.IWARP;
  }

  private String subject() {
    return device.name() + "/" + port.port();
  }

  private Finding warn(Topic topic, String found, String remedy) {
    return new Finding(topic, subject(), found, Verdict.WARN, remedy);
  }
}
