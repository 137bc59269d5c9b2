package org.sparkrdma.verbs;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.HexFormat;
import org.sparkrdma.verbs.ffi.ibv_gid;
import org.sparkrdma.verbs.ffi.ibv_gid_entry;

/**
 * One address of a port: for RoCE v2 an IP address, for InfiniBand a subnet prefix and an interface
 * id.
 *
 * @param port number from 1
 * @param index place in the port's table
 * @param type what it is used for
 * @param interfaceIndex the network interface that it belongs to, 0 if none
 * @param hex its 16 bytes as 32 hexadecimal digits, in network order
 */
public record Gid(int port, int index, Type type, int interfaceIndex, String hex) {

  /** {@code ibv_gid_type}. */
  public enum Type {
    /** InfiniBand, and how iWARP devices show their interface's address. */
    INFINIBAND,
    ROCE_V1,
    /** Over UDP and IP, so it crosses routers. */
    ROCE_V2,
    UNKNOWN
  }

  static Gid of(MemorySegment entry) {
    byte[] raw = ibv_gid.raw(ibv_gid_entry.gid(entry)).toArray(ValueLayout.JAVA_BYTE);
    Type type =
        switch (ibv_gid_entry.gid_type(entry)) {
          case 0 -> Type.INFINIBAND;
          case 1 -> Type.ROCE_V1;
          case 2 -> Type.ROCE_V2;
          default -> Type.UNKNOWN;
        };
    return new Gid(
        ibv_gid_entry.port_num(entry),
        ibv_gid_entry.gid_index(entry),
        type,
        ibv_gid_entry.ndev_ifindex(entry),
        HexFormat.of().formatHex(raw));
  }

  /** The GID read as an IPv6 address, or as an IPv4 address where it is an IPv4-mapped one. */
  public InetAddress address() {
    try {
      return InetAddress.getByAddress(HexFormat.of().parseHex(hex));
    } catch (UnknownHostException e) {
      throw new IllegalStateException("not 16 bytes: " + hex, e);
    }
  }
}
