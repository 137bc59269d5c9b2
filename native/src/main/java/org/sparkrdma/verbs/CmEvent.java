package org.sparkrdma.verbs;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import org.sparkrdma.verbs.ffi.rdma_cm_event;
import org.sparkrdma.verbs.ffi.rdma_conn_param;

/**
 * A copy of an event of librdmacm, made so that the event can be acknowledged at once.
 *
 * @param id what it is about; for a CONNECT_REQUEST the new identifier
 * @param listenId the listener's identifier, for a CONNECT_REQUEST
 * @param status 0, a negative errno value, or a reject code of the transport
 * @param privateData the peer's, for CONNECT_REQUEST, ESTABLISHED and REJECTED
 * @param responderResources READs that the peer wants served at a time, or agreed to
 * @param initiatorDepth READs that the peer serves at a time
 */
@SuppressWarnings("ArrayRecordComponent") // Private to this package, and compared by nobody.
record CmEvent(
    Type type,
    MemorySegment id,
    MemorySegment listenId,
    int status,
    byte[] privateData,
    int responderResources,
    int initiatorDepth) {

  /** {@code rdma_cm_event_type}, in its order. */
  enum Type {
    ADDR_RESOLVED,
    ADDR_ERROR,
    ROUTE_RESOLVED,
    ROUTE_ERROR,
    CONNECT_REQUEST,
    CONNECT_RESPONSE,
    CONNECT_ERROR,
    UNREACHABLE,
    REJECTED,
    ESTABLISHED,
    DISCONNECTED,
    DEVICE_REMOVAL,
    MULTICAST_JOIN,
    MULTICAST_ERROR,
    ADDR_CHANGE,
    TIMEWAIT_EXIT,
    UNKNOWN;

    private static final List<Type> VALUES = List.of(values());

    static Type of(int code) {
      return code >= 0 && code < VALUES.size() - 1 ? VALUES.get(code) : UNKNOWN;
    }
  }

  static CmEvent copy(MemorySegment event) {
    MemorySegment parameters = rdma_cm_event.param.conn(rdma_cm_event.param(event));
    Type type = Type.of(rdma_cm_event.event(event));
    boolean ofConnection =
        switch (type) {
          case CONNECT_REQUEST, CONNECT_RESPONSE, ESTABLISHED, REJECTED -> true;
          default -> false;
        };
    return new CmEvent(
        type,
        rdma_cm_event.id(event),
        rdma_cm_event.listen_id(event),
        rdma_cm_event.status(event),
        ofConnection ? privateData(parameters) : new byte[0],
        Byte.toUnsignedInt(rdma_conn_param.responder_resources(parameters)),
        Byte.toUnsignedInt(rdma_conn_param.initiator_depth(parameters)));
  }

  private static byte[] privateData(MemorySegment parameters) {
    MemorySegment data = rdma_conn_param.private_data(parameters);
    int length = Byte.toUnsignedInt(rdma_conn_param.private_data_len(parameters));
    return data.address() == 0
        ? new byte[0]
        : data.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE);
  }

  String statusText() {
    return status < 0 ? Errno.describe(-status) : Integer.toString(status);
  }
}
