package org.sparkrdma.verbs;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Optional;

/** Where the tests' device is: set by the test kernel, or by whoever has a real device. */
final class TestNetwork {
  static final long TIMEOUT_MILLIS = 20_000;

  private TestNetwork() {}

  /** An IP address of the device under test. */
  static InetAddress address() {
    return parse(System.getenv("RDMA_TEST_ADDRESS"));
  }

  static InetSocketAddress address(int port) {
    return new InetSocketAddress(address(), port);
  }

  /** IP addresses of all devices under test. */
  static List<InetAddress> addresses() {
    String peer = System.getenv("RDMA_TEST_PEER_ADDRESS");
    return peer == null ? List.of(address()) : List.of(address(), parse(peer));
  }

  static boolean isIwarp() {
    return Devices.list().stream()
        .anyMatch(device -> device.transport() == DeviceInfo.Transport.IWARP);
  }

  /** A folder on ext4, where there is one. */
  static Optional<String> ext4() {
    return Optional.ofNullable(System.getenv("RDMA_TEST_EXT4"));
  }

  private static InetAddress parse(String text) {
    try {
      return InetAddress.getByName(text);
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException(text, e);
    }
  }
}
