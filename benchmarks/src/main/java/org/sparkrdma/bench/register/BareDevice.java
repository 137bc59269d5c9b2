package org.sparkrdma.bench.register;

import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Objects;
import java.util.Set;
import org.sparkrdma.verbs.Access;
import org.sparkrdma.verbs.ConnectionManager;
import org.sparkrdma.verbs.Device;
import org.sparkrdma.verbs.Devices;
import org.sparkrdma.verbs.Listener;
import org.sparkrdma.verbs.MemoryRegion;
import org.sparkrdma.verbs.ProtectionDomain;

/** The device of an address, with a protection domain and nothing else. */
final class BareDevice implements AutoCloseable {

  private final Device device;
  private final ProtectionDomain domain;

  BareDevice(InetAddress address) {
    try (ConnectionManager manager = ConnectionManager.open();
        Listener listener = manager.listen(new InetSocketAddress(address, 0), 1)) {
      device =
          Devices.open(
              Objects.requireNonNull(listener.deviceName(), "the address is of no RDMA device"));
    }
    domain = device.allocateProtectionDomain();
  }

  String name() {
    return device.name();
  }

  /** As the registry asks for it. */
  MemoryRegion register(MemorySegment memory) {
    return domain.register(memory, Set.of(Access.REMOTE_READ));
  }

  @Override
  public void close() {
    device.close();
  }
}
