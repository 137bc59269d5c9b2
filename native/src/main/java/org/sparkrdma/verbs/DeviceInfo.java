package org.sparkrdma.verbs;

/**
 * A device as the list shows it, without opening it.
 *
 * @param name the kernel's name, such as mlx5_0 or rxe0
 * @param guid 64-bit globally unique id; 0 where the device has none
 * @param transport protocol on the wire
 */
public record DeviceInfo(String name, long guid, Transport transport) {

  /** Protocol on the wire, as far as rules for its user differ. */
  public enum Transport {
    /** InfiniBand, or RoCE: {@link PortAttributes#linkLayer()} tells which. */
    INFINIBAND,
    /**
     * RDMA over TCP: the target of a READ needs remote write access, a refused READ shows as a
     * flush.
     */
    IWARP,
    OTHER;

    static Transport of(int code) {
      return switch (code) {
        case 0 -> INFINIBAND;
        case 1 -> IWARP;
        default -> OTHER;
      };
    }
  }
}
