package org.sparkrdma.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.sparkrdma.verbs.ffi.ibv_recv_wr;
import org.sparkrdma.verbs.ffi.ibv_send_wr;
import org.sparkrdma.verbs.ffi.ibv_sge;
import org.sparkrdma.verbs.ffi.ibv_wc;
import org.sparkrdma.verbs.ffi.rdma_verbs_h;

/**
 * The numbers that this library writes down itself are those of the headers. They are written down
 * since the generated constants can't be read where the libraries are not installed.
 */
final class BindingsTest {
  @BeforeEach
  void needsTheLibraries() {
    assumeTrue(RdmaLibrary.unavailable().isEmpty(), "libibverbs or librdmacm is not installed");
  }

  @Test
  void layoutsAreTheLoadedLibrarys() {
    LayoutCheck.check();
    assertEquals(48, ibv_wc.layout().byteSize());
    assertEquals(128, ibv_send_wr.layout().byteSize());
    assertEquals(32, ibv_recv_wr.layout().byteSize());
    assertEquals(16, ibv_sge.layout().byteSize());
  }

  @Test
  void accessFlags() {
    assertEquals(rdma_verbs_h.IBV_ACCESS_LOCAL_WRITE(), Access.LOCAL_WRITE.bit());
    assertEquals(rdma_verbs_h.IBV_ACCESS_REMOTE_WRITE(), Access.REMOTE_WRITE.bit());
    assertEquals(rdma_verbs_h.IBV_ACCESS_REMOTE_READ(), Access.REMOTE_READ.bit());
    assertEquals(rdma_verbs_h.IBV_ACCESS_REMOTE_ATOMIC(), Access.REMOTE_ATOMIC.bit());
    assertEquals(rdma_verbs_h.IBV_ACCESS_ON_DEMAND(), Access.ON_DEMAND.bit());
    assertEquals(rdma_verbs_h.IBV_ACCESS_RELAXED_ORDERING(), Access.RELAXED_ORDERING.bit());
  }

  @Test
  void sendFlags() {
    assertEquals(rdma_verbs_h.IBV_SEND_FENCE(), SendFlag.FENCE);
    assertEquals(rdma_verbs_h.IBV_SEND_SIGNALED(), SendFlag.SIGNALED);
    assertEquals(rdma_verbs_h.IBV_SEND_SOLICITED(), SendFlag.SOLICITED);
    assertEquals(rdma_verbs_h.IBV_SEND_INLINE(), SendFlag.INLINE);
  }

  @Test
  void opcodes() {
    assertEquals(0, rdma_verbs_h.IBV_WR_RDMA_WRITE());
    assertEquals(1, rdma_verbs_h.IBV_WR_RDMA_WRITE_WITH_IMM());
    assertEquals(2, rdma_verbs_h.IBV_WR_SEND());
    assertEquals(3, rdma_verbs_h.IBV_WR_SEND_WITH_IMM());
    assertEquals(4, rdma_verbs_h.IBV_WR_RDMA_READ());
    assertEquals(128, rdma_verbs_h.IBV_WC_RECV());
    assertEquals(2, rdma_verbs_h.IBV_WC_WITH_IMM());
  }

  @Test
  void completionStatuses() {
    assertEquals(CompletionStatus.SUCCESS, CompletionStatus.of(rdma_verbs_h.IBV_WC_SUCCESS()));
    assertEquals(
        CompletionStatus.LOCAL_PROTECTION_ERROR,
        CompletionStatus.of(rdma_verbs_h.IBV_WC_LOC_PROT_ERR()));
    assertEquals(CompletionStatus.FLUSHED, CompletionStatus.of(rdma_verbs_h.IBV_WC_WR_FLUSH_ERR()));
    assertEquals(
        CompletionStatus.REMOTE_INVALID_REQUEST,
        CompletionStatus.of(rdma_verbs_h.IBV_WC_REM_INV_REQ_ERR()));
    assertEquals(
        CompletionStatus.REMOTE_ACCESS_ERROR,
        CompletionStatus.of(rdma_verbs_h.IBV_WC_REM_ACCESS_ERR()));
    assertEquals(
        CompletionStatus.RETRY_EXCEEDED, CompletionStatus.of(rdma_verbs_h.IBV_WC_RETRY_EXC_ERR()));
    assertEquals(
        CompletionStatus.RECEIVER_NOT_READY,
        CompletionStatus.of(rdma_verbs_h.IBV_WC_RNR_RETRY_EXC_ERR()));
    assertEquals(
        CompletionStatus.GENERAL_ERROR, CompletionStatus.of(rdma_verbs_h.IBV_WC_GENERAL_ERR()));
    assertEquals(
        CompletionStatus.TAG_RENDEZVOUS_INCOMPLETE,
        CompletionStatus.of(rdma_verbs_h.IBV_WC_TM_RNDV_INCOMPLETE()));
    assertEquals(CompletionStatus.UNKNOWN, CompletionStatus.of(24));
    assertEquals(CompletionStatus.UNKNOWN, CompletionStatus.of(-1));
  }

  @Test
  void events() {
    assertEquals(
        CmEvent.Type.ESTABLISHED, CmEvent.Type.of(rdma_verbs_h.RDMA_CM_EVENT_ESTABLISHED()));
    assertEquals(
        CmEvent.Type.TIMEWAIT_EXIT, CmEvent.Type.of(rdma_verbs_h.RDMA_CM_EVENT_TIMEWAIT_EXIT()));
    assertEquals(AsyncEvent.Type.PORT_ERROR, AsyncEvent.Type.of(rdma_verbs_h.IBV_EVENT_PORT_ERR()));
    assertEquals(
        AsyncEvent.Type.DEVICE_FATAL, AsyncEvent.Type.of(rdma_verbs_h.IBV_EVENT_DEVICE_FATAL()));
    assertEquals(
        AsyncEvent.Type.WORK_QUEUE_FATAL, AsyncEvent.Type.of(rdma_verbs_h.IBV_EVENT_WQ_FATAL()));
    assertEquals(QueuePairState.ERROR, QueuePairState.of(rdma_verbs_h.IBV_QPS_ERR()));
    assertEquals(
        PortAttributes.State.ACTIVE, PortAttributes.State.of(rdma_verbs_h.IBV_PORT_ACTIVE()));
  }

  @Test
  void socketAddressesSurviveTheWayToCAndBack() throws UnknownHostException {
    try (Arena arena = Arena.ofConfined()) {
      for (String host : new String[] {"10.77.0.1", "fe80::1234:5", "::1"}) {
        InetSocketAddress address = new InetSocketAddress(InetAddress.getByName(host), 50_000);
        // Room for the larger of the two kinds, as rdma_cm's identifiers have.
        MemorySegment room = arena.allocate(128, 8);
        room.copyFrom(SocketAddresses.toNative(arena, address));
        assertEquals(address, SocketAddresses.fromNative(room));
      }
    }
  }
}
