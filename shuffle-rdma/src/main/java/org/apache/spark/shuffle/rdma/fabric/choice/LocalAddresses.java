package org.apache.spark.shuffle.rdma.fabric.choice;

import java.io.IOException;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.apache.spark.shuffle.rdma.conf.ConfKey;
import org.jspecify.annotations.Nullable;

/** This machine's addresses that the fabric may use, by {@code spark.shuffle.rdma.bindAddress}. */
public final class LocalAddresses {

  private LocalAddresses() {}

  /**
   * Finds them, the best first.
   *
   * @param bindAddress a host name, an address, a network such as 10.1.0.0/16, or empty
   * @param sparkHost what Spark's block manager gives out: the first choice where bindAddress is
   *     empty, with all other addresses behind it
   * @return one or more
   * @throws IOException for an unknown host, or a network of which this machine has no address
   */
  public static List<InetAddress> of(String bindAddress, String sparkHost) throws IOException {
    if (bindAddress.isEmpty()) {
      Set<InetAddress> all = new LinkedHashSet<>();
      all.add(InetAddress.getByName(sparkHost));
      all.addAll(ofInterfaces());
      return List.copyOf(all);
    }
    int slash = bindAddress.indexOf('/');
    if (slash < 0) {
      return List.of(InetAddress.getByName(bindAddress));
    }
    byte[] network = literal(bindAddress, bindAddress.substring(0, slash));
    int bits = prefix(bindAddress, bindAddress.substring(slash + 1), network.length * 8);
    List<InetAddress> own = ofInterfaces();
    List<InetAddress> within =
        own.stream().filter(address -> isWithin(address.getAddress(), network, bits)).toList();
    if (within.isEmpty()) {
      throw new IOException(
          ConfKey.BIND_ADDRESS.key()
              + "="
              + bindAddress
              + ": no address of this machine is within it; it has "
              + own.stream().map(InetAddress::getHostAddress).toList());
    }
    return within;
  }

  /** Of all interfaces that are up, loopback's excepted; IPv4 first. */
  private static List<InetAddress> ofInterfaces() throws IOException {
    List<InetAddress> found = new ArrayList<>();
    for (NetworkInterface each : NetworkInterface.networkInterfaces().toList()) {
      if (each.isUp() && !each.isLoopback()) {
        each.inetAddresses().filter(address -> !address.isLinkLocalAddress()).forEach(found::add);
      }
    }
    found.sort(Comparator.comparingInt(address -> address.getAddress().length));
    return found;
  }

  private static byte[] literal(String bindAddress, String address) throws IOException {
    try {
      return InetAddress.ofLiteral(address).getAddress();
    } catch (IllegalArgumentException e) {
      throw wrong(bindAddress, e);
    }
  }

  private static int prefix(String bindAddress, String bits, int most) throws IOException {
    try {
      int prefix = Integer.parseInt(bits);
      if (prefix >= 0 && prefix <= most) {
        return prefix;
      }
    } catch (NumberFormatException e) {
      throw wrong(bindAddress, e);
    }
    throw wrong(bindAddress, null);
  }

  private static IOException wrong(String bindAddress, @Nullable Throwable cause) {
    return new IOException(
        ConfKey.BIND_ADDRESS.key()
            + "="
            + bindAddress
            + " is no network: set one such as 10.1.0.0/16",
        cause);
  }

  private static boolean isWithin(byte[] address, byte[] network, int bits) {
    if (address.length != network.length) {
      return false;
    }
    int shift = address.length * 8 - bits;
    return new BigInteger(1, address)
        .shiftRight(shift)
        .equals(new BigInteger(1, network).shiftRight(shift));
  }
}
