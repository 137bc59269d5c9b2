package org.sparkrdma.verbs;

import java.lang.foreign.MemorySegment;
import java.util.List;
import org.sparkrdma.verbs.ffi.ibv_port_attr;

/**
 * A port's state, read when asked.
 *
 * @param port number from 1
 * @param state whether it carries traffic
 * @param linkLayer Ethernet means RoCE or iWARP
 * @param activeMtuBytes largest packet payload, 256 to 4096
 * @param maxMessageBytes largest single work request
 * @param gids places in the GID table, some of them empty
 * @param lid InfiniBand's local id, 0 elsewhere
 */
public record PortAttributes(
    int port,
    State state,
    LinkLayer linkLayer,
    int activeMtuBytes,
    long maxMessageBytes,
    int gids,
    int lid) {

  /** {@code ibv_port_state}, in its order. */
  public enum State {
    NO_CHANGE,
    DOWN,
    INITIALIZING,
    ARMED,
    ACTIVE,
    ACTIVE_DEFERRED,
    UNKNOWN;

    private static final List<State> VALUES = List.of(values());

    static State of(int code) {
      return code >= 0 && code < VALUES.size() - 1 ? VALUES.get(code) : UNKNOWN;
    }
  }

  /** What the packets travel on. */
  public enum LinkLayer {
    UNSPECIFIED,
    INFINIBAND,
    ETHERNET;

    static LinkLayer of(int code) {
      return code == 1 ? INFINIBAND : code == 2 ? ETHERNET : UNSPECIFIED;
    }
  }

  static PortAttributes of(int port, MemorySegment attributes) {
    return new PortAttributes(
        port,
        State.of(ibv_port_attr.state(attributes)),
        LinkLayer.of(ibv_port_attr.link_layer(attributes)),
        128 << ibv_port_attr.active_mtu(attributes),
        Integer.toUnsignedLong(ibv_port_attr.max_msg_sz(attributes)),
        ibv_port_attr.gid_tbl_len(attributes),
        Short.toUnsignedInt(ibv_port_attr.lid(attributes)));
  }
}
