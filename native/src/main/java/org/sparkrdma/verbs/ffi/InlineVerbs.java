package org.sparkrdma.verbs.ffi;

import java.lang.foreign.MemorySegment;

/**
 * The verbs that verbs.h has as static inline functions, and that no library therefore exports: each goes
 * through a function pointer of the device's {@code ibv_context.ops}. Two devices of one process can have
 * different providers, so the pointer is a parameter; callers look it up once for each queue and keep it.
 *
 * <p>Hand-written, unlike its neighbours. These calls neither allocate nor touch {@code errno}: they return
 * their error.
 */
public final class InlineVerbs {
  private InlineVerbs() {}

  /** Pointer for {@link #pollCq}, from an {@code ibv_context *}. */
  public static MemorySegment pollCqFunction(MemorySegment context) {
    return ibv_context_ops.poll_cq(ibv_context.ops(context));
  }

  /** Pointer for {@link #reqNotifyCq}, from an {@code ibv_context *}. */
  public static MemorySegment reqNotifyCqFunction(MemorySegment context) {
    return ibv_context_ops.req_notify_cq(ibv_context.ops(context));
  }

  /** Pointer for {@link #postSend}, from an {@code ibv_context *}. */
  public static MemorySegment postSendFunction(MemorySegment context) {
    return ibv_context_ops.post_send(ibv_context.ops(context));
  }

  /** Pointer for {@link #postRecv}, from an {@code ibv_context *}. */
  public static MemorySegment postRecvFunction(MemorySegment context) {
    return ibv_context_ops.post_recv(ibv_context.ops(context));
  }

  /**
   * <a href="https://man7.org/linux/man-pages/man3/ibv_poll_cq.3.html">ibv_poll_cq</a>.
   *
   * @param entries room in {@code wc}, an array of {@code ibv_wc}
   * @return number of completions written, negative on failure
   */
  public static int pollCq(MemorySegment function, MemorySegment cq, int entries, MemorySegment wc) {
    return ibv_context_ops.poll_cq.invoke(function, cq, entries, wc);
  }

  /**
   * <a href="https://man7.org/linux/man-pages/man3/ibv_req_notify_cq.3.html">ibv_req_notify_cq</a>.
   *
   * @return 0 or an errno value
   */
  public static int reqNotifyCq(MemorySegment function, MemorySegment cq, int solicitedOnly) {
    return ibv_context_ops.req_notify_cq.invoke(function, cq, solicitedOnly);
  }

  /**
   * <a href="https://man7.org/linux/man-pages/man3/ibv_post_send.3.html">ibv_post_send</a>.
   *
   * @param bad room for one pointer: the first request that was not posted
   * @return 0 or an errno value
   */
  public static int postSend(
      MemorySegment function, MemorySegment qp, MemorySegment first, MemorySegment bad) {
    return ibv_context_ops.post_send.invoke(function, qp, first, bad);
  }

  /**
   * <a href="https://man7.org/linux/man-pages/man3/ibv_post_recv.3.html">ibv_post_recv</a>.
   *
   * @param bad room for one pointer: the first request that was not posted
   * @return 0 or an errno value
   */
  public static int postRecv(
      MemorySegment function, MemorySegment qp, MemorySegment first, MemorySegment bad) {
    return ibv_context_ops.post_recv.invoke(function, qp, first, bad);
  }
}
