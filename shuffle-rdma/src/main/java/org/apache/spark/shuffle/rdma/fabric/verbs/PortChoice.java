package org.apache.spark.shuffle.rdma.fabric.verbs;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.shuffle.rdma.fabric.FabricException;
import org.jspecify.annotations.Nullable;
import org.sparkrdma.verbs.ConnectionManager;
import org.sparkrdma.verbs.Device;
import org.sparkrdma.verbs.DeviceInfo;
import org.sparkrdma.verbs.Devices;
import org.sparkrdma.verbs.Listener;
import org.sparkrdma.verbs.PortAttributes;
import org.sparkrdma.verbs.RdmaException;
import org.sparkrdma.verbs.RdmaUnavailableException;

/**
 * Which of this machine's devices, ports and addresses a fabric uses. librdmacm itself is asked
 * which device an address belongs to, by listening there: that is the same for InfiniBand, RoCE and
 * iWARP.
 *
 * @param listener on the address, at a port of its own
 * @param device open
 * @param port the device's, from 1
 */
record PortChoice(Listener listener, Device device, int port) {

  /** Connect requests that may wait to be looked at. */
  private static final int BACKLOG = 512;

  /**
   * Takes the first address that belongs to a device and port that the options allow and whose link
   * is up.
   *
   * @throws FabricException DEVICE_LOST if there is none, with what was found and the remedy
   * @throws RdmaUnavailableException if libraries, kernel or devices are missing
   */
  static PortChoice choose(ConnectionManager manager, VerbsOptions options) throws FabricException {
    List<String> found = new ArrayList<>();
    for (InetAddress address : options.addresses()) {
      Listener listener = listen(manager, address, found);
      PortChoice choice = listener == null ? null : check(listener, options, found);
      if (choice != null) {
        return choice;
      }
    }
    throw new FabricException(
        FabricException.Kind.DEVICE_LOST,
        "no usable RDMA device for "
            + wanted(options)
            + ": "
            + String.join("; ", found)
            + ". Devices here: "
            + Devices.list().stream().map(DeviceInfo::name).toList()
            + ". See `rdma link` and `ip address`: the device's network interface needs an IP"
            + " address and a link that is up; spark.shuffle.rdma.bindAddress takes an address or"
            + " a network such as 10.1.0.0/16");
  }

  private static String wanted(VerbsOptions options) {
    return (options.device().isEmpty() ? "any device" : "device " + options.device())
        + (options.port() == 0 ? "" : " port " + options.port())
        + " at "
        + options.addresses().stream().map(InetAddress::getHostAddress).toList();
  }

  private static @Nullable Listener listen(
      ConnectionManager manager, InetAddress address, List<String> found) {
    try {
      return manager.listen(new InetSocketAddress(address, 0), BACKLOG);
    } catch (RdmaException e) {
      found.add(address.getHostAddress() + " belongs to no RDMA device (" + e.getMessage() + ")");
      return null;
    }
  }

  /** Closes the listener if its device isn't the one. */
  private static @Nullable PortChoice check(
      Listener listener, VerbsOptions options, List<String> found) {
    String name = String.valueOf(listener.deviceName());
    String where = listener.address().getAddress().getHostAddress() + " is of " + name;
    int number = listener.port();
    if (!options.device().isEmpty() && !options.device().equals(name)) {
      found.add(where);
    } else if (options.port() != 0 && options.port() != number) {
      found.add(where + " port " + number);
    } else {
      Device device = Devices.open(name);
      PortAttributes.State state = null;
      try {
        state = device.port(number).state();
      } finally {
        if (state != PortAttributes.State.ACTIVE) {
          device.close();
        }
      }
      if (state == PortAttributes.State.ACTIVE) {
        return new PortChoice(listener, device, number);
      }
      found.add(
          where
              + ", whose port "
              + number
              + " is "
              + state
              + ": check cable, switch and `ip link`");
    }
    listener.close();
    return null;
  }
}
