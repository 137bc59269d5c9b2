package org.sparkrdma.verbs;

import static org.sparkrdma.verbs.NativeCall.handle;
import static org.sparkrdma.verbs.NativeCall.pointer;
import static org.sparkrdma.verbs.NativeCall.status;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import org.sparkrdma.verbs.ffi.rdma_verbs_h;

/** librdmacm by its C names, each failure an exception. Loading this class loads the libraries. */
final class CmCalls {
  private static final MethodHandle GET_DEVICES =
      handle(rdma_verbs_h.rdma_get_devices$address(), rdma_verbs_h.rdma_get_devices$descriptor());
  private static final MethodHandle CREATE_EVENT_CHANNEL =
      handle(
          rdma_verbs_h.rdma_create_event_channel$address(),
          rdma_verbs_h.rdma_create_event_channel$descriptor());
  private static final MethodHandle GET_CM_EVENT =
      handle(rdma_verbs_h.rdma_get_cm_event$address(), rdma_verbs_h.rdma_get_cm_event$descriptor());
  private static final MethodHandle ACK_CM_EVENT =
      handle(rdma_verbs_h.rdma_ack_cm_event$address(), rdma_verbs_h.rdma_ack_cm_event$descriptor());
  private static final MethodHandle CREATE_ID =
      handle(rdma_verbs_h.rdma_create_id$address(), rdma_verbs_h.rdma_create_id$descriptor());
  private static final MethodHandle DESTROY_ID =
      handle(rdma_verbs_h.rdma_destroy_id$address(), rdma_verbs_h.rdma_destroy_id$descriptor());
  private static final MethodHandle SET_OPTION =
      handle(rdma_verbs_h.rdma_set_option$address(), rdma_verbs_h.rdma_set_option$descriptor());
  private static final MethodHandle BIND_ADDR =
      handle(rdma_verbs_h.rdma_bind_addr$address(), rdma_verbs_h.rdma_bind_addr$descriptor());
  private static final MethodHandle LISTEN =
      handle(rdma_verbs_h.rdma_listen$address(), rdma_verbs_h.rdma_listen$descriptor());
  private static final MethodHandle RESOLVE_ADDR =
      handle(rdma_verbs_h.rdma_resolve_addr$address(), rdma_verbs_h.rdma_resolve_addr$descriptor());
  private static final MethodHandle RESOLVE_ROUTE =
      handle(
          rdma_verbs_h.rdma_resolve_route$address(), rdma_verbs_h.rdma_resolve_route$descriptor());
  private static final MethodHandle CREATE_QP =
      handle(rdma_verbs_h.rdma_create_qp$address(), rdma_verbs_h.rdma_create_qp$descriptor());
  private static final MethodHandle CONNECT =
      handle(rdma_verbs_h.rdma_connect$address(), rdma_verbs_h.rdma_connect$descriptor());
  private static final MethodHandle ACCEPT =
      handle(rdma_verbs_h.rdma_accept$address(), rdma_verbs_h.rdma_accept$descriptor());
  private static final MethodHandle REJECT =
      handle(rdma_verbs_h.rdma_reject$address(), rdma_verbs_h.rdma_reject$descriptor());
  private static final MethodHandle DISCONNECT =
      handle(rdma_verbs_h.rdma_disconnect$address(), rdma_verbs_h.rdma_disconnect$descriptor());

  private CmCalls() {}

  static MemorySegment getDevices(MemorySegment count) {
    return pointer("rdma_get_devices", "", s -> (MemorySegment) GET_DEVICES.invokeExact(s, count));
  }

  static MemorySegment createEventChannel() {
    return pointer(
        "rdma_create_event_channel", "", s -> (MemorySegment) CREATE_EVENT_CHANNEL.invokeExact(s));
  }

  static void getCmEvent(MemorySegment channel, MemorySegment event) {
    status("rdma_get_cm_event", "", s -> (int) GET_CM_EVENT.invokeExact(s, channel, event));
  }

  static void ackCmEvent(MemorySegment event) {
    status("rdma_ack_cm_event", "", s -> (int) ACK_CM_EVENT.invokeExact(s, event));
  }

  static void createId(MemorySegment channel, MemorySegment id) {
    status(
        "rdma_create_id",
        "",
        s ->
            (int)
                CREATE_ID.invokeExact(
                    s, channel, id, MemorySegment.NULL, rdma_verbs_h.RDMA_PS_TCP()));
  }

  static void destroyId(MemorySegment id) {
    status("rdma_destroy_id", "", s -> (int) DESTROY_ID.invokeExact(s, id));
  }

  static void setOption(MemorySegment id, int option, MemorySegment value) {
    status(
        "rdma_set_option",
        "option " + option,
        s ->
            (int)
                SET_OPTION.invokeExact(
                    s, id, rdma_verbs_h.RDMA_OPTION_ID(), option, value, value.byteSize()));
  }

  static void bindAddr(MemorySegment id, MemorySegment address, String detail) {
    status("rdma_bind_addr", detail, s -> (int) BIND_ADDR.invokeExact(s, id, address));
  }

  static void listen(MemorySegment id, int backlog, String detail) {
    status("rdma_listen", detail, s -> (int) LISTEN.invokeExact(s, id, backlog));
  }

  static void resolveAddr(
      MemorySegment id, MemorySegment source, MemorySegment target, int millis, String detail) {
    status(
        "rdma_resolve_addr",
        detail,
        s -> (int) RESOLVE_ADDR.invokeExact(s, id, source, target, millis));
  }

  static void resolveRoute(MemorySegment id, int millis, String detail) {
    status("rdma_resolve_route", detail, s -> (int) RESOLVE_ROUTE.invokeExact(s, id, millis));
  }

  static void createQp(MemorySegment id, MemorySegment pd, MemorySegment init, String detail) {
    status("rdma_create_qp", detail, s -> (int) CREATE_QP.invokeExact(s, id, pd, init));
  }

  static void connect(MemorySegment id, MemorySegment parameters, String detail) {
    status("rdma_connect", detail, s -> (int) CONNECT.invokeExact(s, id, parameters));
  }

  static void accept(MemorySegment id, MemorySegment parameters, String detail) {
    status("rdma_accept", detail, s -> (int) ACCEPT.invokeExact(s, id, parameters));
  }

  static void reject(MemorySegment id, MemorySegment data, int length) {
    status("rdma_reject", "", s -> (int) REJECT.invokeExact(s, id, data, (byte) length));
  }

  static void disconnect(MemorySegment id) {
    status("rdma_disconnect", "", s -> (int) DISCONNECT.invokeExact(s, id));
  }
}
