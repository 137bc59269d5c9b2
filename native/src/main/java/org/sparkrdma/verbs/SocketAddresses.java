package org.sparkrdma.verbs;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import org.sparkrdma.verbs.ffi.in6_addr;
import org.sparkrdma.verbs.ffi.in_addr;
import org.sparkrdma.verbs.ffi.rdma_verbs_h;
import org.sparkrdma.verbs.ffi.sockaddr;
import org.sparkrdma.verbs.ffi.sockaddr_in;
import org.sparkrdma.verbs.ffi.sockaddr_in6;

/** Java's socket addresses and C's. */
final class SocketAddresses {
  private static final int IPV4_BYTES = 4;
  private static final int IPV6_BYTES = 16;

  private SocketAddresses() {}

  /** A sockaddr_in or sockaddr_in6. */
  static MemorySegment toNative(Arena arena, InetSocketAddress address) {
    InetAddress host = address.getAddress();
    if (host == null) {
      throw new IllegalArgumentException("host name not resolved: " + address.getHostString());
    }
    short port = Short.reverseBytes((short) address.getPort());
    MemorySegment bytes = MemorySegment.ofArray(host.getAddress());
    if (host instanceof Inet6Address six) {
      MemorySegment native6 = sockaddr_in6.allocate(arena);
      sockaddr_in6.sin6_family(native6, (short) rdma_verbs_h.AF_INET6());
      sockaddr_in6.sin6_port(native6, port);
      sockaddr_in6.sin6_scope_id(native6, six.getScopeId());
      MemorySegment.copy(bytes, 0, sockaddr_in6.sin6_addr(native6), 0, IPV6_BYTES);
      return native6;
    }
    MemorySegment native4 = sockaddr_in.allocate(arena);
    sockaddr_in.sin_family(native4, (short) rdma_verbs_h.AF_INET());
    sockaddr_in.sin_port(native4, port);
    MemorySegment.copy(bytes, 0, sockaddr_in.sin_addr(native4), 0, IPV4_BYTES);
    return native4;
  }

  /**
   * @param from room for at least a sockaddr_in6
   */
  static InetSocketAddress fromNative(MemorySegment from) {
    if (sockaddr.sa_family(from) == (short) rdma_verbs_h.AF_INET6()) {
      byte[] bytes =
          sockaddr_in6.sin6_addr(from).asSlice(0, in6_addr.sizeof()).toArray(ValueLayout.JAVA_BYTE);
      return of(bytes, sockaddr_in6.sin6_port(from));
    }
    byte[] bytes =
        sockaddr_in.sin_addr(from).asSlice(0, in_addr.sizeof()).toArray(ValueLayout.JAVA_BYTE);
    return of(bytes, sockaddr_in.sin_port(from));
  }

  private static InetSocketAddress of(byte[] bytes, short networkOrderPort) {
    try {
      int port = Short.toUnsignedInt(Short.reverseBytes(networkOrderPort));
      return new InetSocketAddress(InetAddress.getByAddress(bytes), port);
    } catch (UnknownHostException e) {
      throw new IllegalStateException(bytes.length + " bytes of address", e);
    }
  }
}
