package org.apache.spark.shuffle.rdma.doctor.check;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.apache.spark.shuffle.rdma.doctor.path.OnDemandProbe;
import org.sparkrdma.verbs.Device;
import org.sparkrdma.verbs.DeviceAttributes;
import org.sparkrdma.verbs.DeviceInfo;
import org.sparkrdma.verbs.Devices;
import org.sparkrdma.verbs.RdmaException;

/** The RDMA devices, their ports and the ports' addresses. */
final class DeviceCheck {

  private DeviceCheck() {}

  /** Checks all; one finding says so if there's none. */
  static List<Finding> check(SystemFiles files, Wish wish) {
    List<DeviceInfo> devices;
    try {
      devices = Devices.list();
    } catch (RdmaException e) {
      return List.of(none(wish, String.valueOf(e.getMessage())));
    }
    if (devices.isEmpty()) {
      return List.of(none(wish, Topic.DEVICE.remedy()));
    }
    List<Finding> found = new ArrayList<>();
    for (DeviceInfo info : devices) {
      try (Device device = Devices.open(info.name())) {
        found.addAll(open(files, device));
      } catch (RdmaException e) {
        found.add(
            new Finding(
                Topic.DEVICE,
                info.name(),
                "can't be opened",
                wish.withoutRdma(),
                String.valueOf(e.getMessage())));
      }
    }
    return found;
  }

  private static Finding none(Wish wish, String why) {
    return new Finding(Topic.DEVICE, "", "none", wish.withoutRdma(), why);
  }

  private static List<Finding> open(SystemFiles files, Device device) {
    List<Finding> found = new ArrayList<>();
    found.add(Finding.good(Topic.DEVICE, device.name(), text(device)));
    for (int port = 1; port <= device.attributes().ports(); port++) {
      PortCheck check = new PortCheck(files, device.info(), device.port(port), device.gids(port));
      found.add(check.link());
      found.addAll(check.addresses());
    }
    String odp = OnDemandProbe.isPossible(device) ? "can" : "can't";
    found.add(Finding.good(Topic.ODP, device.name(), odp + "; not used"));
    return found;
  }

  private static String text(Device device) {
    DeviceAttributes attributes = device.attributes();
    String firmware = attributes.firmware().isEmpty() ? "none" : attributes.firmware();
    return String.format(
        Locale.ROOT,
        "%s, firmware %s, ports %d, READs at a time on a connection %d",
        device.info().transport() == DeviceInfo.Transport.IWARP ? "iWARP" : "InfiniBand or RoCE",
        firmware,
        attributes.ports(),
        attributes.maxReadsIssued());
  }
}
