package org.sparkrdma.verbs;

import static org.sparkrdma.verbs.NativeCall.handle;
import static org.sparkrdma.verbs.NativeCall.pointer;
import static org.sparkrdma.verbs.NativeCall.status;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import org.sparkrdma.verbs.ffi.ibv_gid_entry;
import org.sparkrdma.verbs.ffi.rdma_verbs_h;

/** libibverbs by its C names, each failure an exception. Loading this class loads the libraries. */
final class IbvCalls {
  private static final MethodHandle GET_DEVICE_LIST =
      handle(
          rdma_verbs_h.ibv_get_device_list$address(),
          rdma_verbs_h.ibv_get_device_list$descriptor());
  private static final MethodHandle QUERY_DEVICE =
      handle(rdma_verbs_h.ibv_query_device$address(), rdma_verbs_h.ibv_query_device$descriptor());
  private static final MethodHandle QUERY_PORT =
      handle(rdma_verbs_h.ibv_query_port$address(), rdma_verbs_h.ibv_query_port$descriptor());
  private static final MethodHandle QUERY_GID_EX =
      handle(rdma_verbs_h._ibv_query_gid_ex$address(), rdma_verbs_h._ibv_query_gid_ex$descriptor());
  private static final MethodHandle GET_ASYNC_EVENT =
      handle(
          rdma_verbs_h.ibv_get_async_event$address(),
          rdma_verbs_h.ibv_get_async_event$descriptor());
  private static final MethodHandle ALLOC_PD =
      handle(rdma_verbs_h.ibv_alloc_pd$address(), rdma_verbs_h.ibv_alloc_pd$descriptor());
  private static final MethodHandle DEALLOC_PD =
      handle(rdma_verbs_h.ibv_dealloc_pd$address(), rdma_verbs_h.ibv_dealloc_pd$descriptor());
  private static final MethodHandle REG_MR =
      handle(rdma_verbs_h.ibv_reg_mr$address(), rdma_verbs_h.ibv_reg_mr$descriptor());
  private static final MethodHandle REG_MR_IOVA2 =
      handle(rdma_verbs_h.ibv_reg_mr_iova2$address(), rdma_verbs_h.ibv_reg_mr_iova2$descriptor());
  private static final MethodHandle DEREG_MR =
      handle(rdma_verbs_h.ibv_dereg_mr$address(), rdma_verbs_h.ibv_dereg_mr$descriptor());
  private static final MethodHandle CREATE_COMP_CHANNEL =
      handle(
          rdma_verbs_h.ibv_create_comp_channel$address(),
          rdma_verbs_h.ibv_create_comp_channel$descriptor());
  private static final MethodHandle DESTROY_COMP_CHANNEL =
      handle(
          rdma_verbs_h.ibv_destroy_comp_channel$address(),
          rdma_verbs_h.ibv_destroy_comp_channel$descriptor());
  private static final MethodHandle GET_CQ_EVENT =
      handle(rdma_verbs_h.ibv_get_cq_event$address(), rdma_verbs_h.ibv_get_cq_event$descriptor());
  private static final MethodHandle CREATE_CQ =
      handle(rdma_verbs_h.ibv_create_cq$address(), rdma_verbs_h.ibv_create_cq$descriptor());
  private static final MethodHandle DESTROY_CQ =
      handle(rdma_verbs_h.ibv_destroy_cq$address(), rdma_verbs_h.ibv_destroy_cq$descriptor());
  private static final MethodHandle CREATE_QP =
      handle(rdma_verbs_h.ibv_create_qp$address(), rdma_verbs_h.ibv_create_qp$descriptor());
  private static final MethodHandle MODIFY_QP =
      handle(rdma_verbs_h.ibv_modify_qp$address(), rdma_verbs_h.ibv_modify_qp$descriptor());
  private static final MethodHandle QUERY_QP =
      handle(rdma_verbs_h.ibv_query_qp$address(), rdma_verbs_h.ibv_query_qp$descriptor());
  private static final MethodHandle DESTROY_QP =
      handle(rdma_verbs_h.ibv_destroy_qp$address(), rdma_verbs_h.ibv_destroy_qp$descriptor());

  private IbvCalls() {}

  static MemorySegment getDeviceList(MemorySegment count) {
    return pointer(
        "ibv_get_device_list", "", s -> (MemorySegment) GET_DEVICE_LIST.invokeExact(s, count));
  }

  static void queryDevice(MemorySegment context, MemorySegment attributes) {
    status("ibv_query_device", "", s -> (int) QUERY_DEVICE.invokeExact(s, context, attributes));
  }

  static void queryPort(MemorySegment context, int port, MemorySegment attributes) {
    status(
        "ibv_query_port",
        "port " + port,
        s -> (int) QUERY_PORT.invokeExact(s, context, (byte) port, attributes));
  }

  /**
   * 0 or an errno value: an empty place in the table is an error here (ENODATA, 61), and is normal.
   */
  static int queryGidEx(MemorySegment context, int port, int index, MemorySegment entry) {
    return NativeCall.errno(
        "ibv_query_gid_ex",
        s ->
            (int)
                QUERY_GID_EX.invokeExact(
                    s, context, port, index, entry, 0, ibv_gid_entry.layout().byteSize()));
  }

  static void getAsyncEvent(MemorySegment context, MemorySegment event) {
    status("ibv_get_async_event", "", s -> (int) GET_ASYNC_EVENT.invokeExact(s, context, event));
  }

  static MemorySegment allocPd(MemorySegment context) {
    return pointer("ibv_alloc_pd", "", s -> (MemorySegment) ALLOC_PD.invokeExact(s, context));
  }

  static void deallocPd(MemorySegment pd) {
    status("ibv_dealloc_pd", "", s -> (int) DEALLOC_PD.invokeExact(s, pd));
  }

  static MemorySegment regMr(MemorySegment pd, MemorySegment memory, int access, String detail) {
    long length = memory.byteSize();
    if ((access & Access.OPTIONAL_FLAGS) == 0) {
      return pointer(
          "ibv_reg_mr",
          detail,
          s -> (MemorySegment) REG_MR.invokeExact(s, pd, memory, length, access));
    }
    // The library itself drops optional flags that the kernel does not know, but only on this way
    // in.
    long address = memory.address();
    return pointer(
        "ibv_reg_mr_iova2",
        detail,
        s -> (MemorySegment) REG_MR_IOVA2.invokeExact(s, pd, memory, length, address, access));
  }

  static void deregMr(MemorySegment mr, String detail) {
    status("ibv_dereg_mr", detail, s -> (int) DEREG_MR.invokeExact(s, mr));
  }

  static MemorySegment createCompChannel(MemorySegment context) {
    return pointer(
        "ibv_create_comp_channel",
        "",
        s -> (MemorySegment) CREATE_COMP_CHANNEL.invokeExact(s, context));
  }

  static void destroyCompChannel(MemorySegment channel) {
    status("ibv_destroy_comp_channel", "", s -> (int) DESTROY_COMP_CHANNEL.invokeExact(s, channel));
  }

  /**
   * Takes an event from a channel whose descriptor doesn't block.
   *
   * @return whether there was one
   */
  static boolean getCqEvent(MemorySegment channel, MemorySegment cq, MemorySegment cqContext) {
    int errno =
        NativeCall.errno(
            "ibv_get_cq_event", s -> (int) GET_CQ_EVENT.invokeExact(s, channel, cq, cqContext));
    if (errno != 0 && errno != Errno.EAGAIN && errno != Errno.EINTR) {
      throw new VerbException("ibv_get_cq_event", errno, "");
    }
    return errno == 0;
  }

  static MemorySegment createCq(
      MemorySegment context, int entries, MemorySegment channel, int vector, String detail) {
    return pointer(
        "ibv_create_cq",
        detail,
        s ->
            (MemorySegment)
                CREATE_CQ.invokeExact(s, context, entries, MemorySegment.NULL, channel, vector));
  }

  static void destroyCq(MemorySegment cq) {
    status("ibv_destroy_cq", "", s -> (int) DESTROY_CQ.invokeExact(s, cq));
  }

  static MemorySegment createQp(MemorySegment pd, MemorySegment attributes, String detail) {
    return pointer(
        "ibv_create_qp", detail, s -> (MemorySegment) CREATE_QP.invokeExact(s, pd, attributes));
  }

  static void modifyQp(MemorySegment qp, MemorySegment attributes, int mask, String detail) {
    status("ibv_modify_qp", detail, s -> (int) MODIFY_QP.invokeExact(s, qp, attributes, mask));
  }

  static void queryQp(MemorySegment qp, MemorySegment attributes, int mask, MemorySegment init) {
    status("ibv_query_qp", "", s -> (int) QUERY_QP.invokeExact(s, qp, attributes, mask, init));
  }

  static void destroyQp(MemorySegment qp) {
    status("ibv_destroy_qp", "", s -> (int) DESTROY_QP.invokeExact(s, qp));
  }
}
