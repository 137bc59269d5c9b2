package org.sparkrdma.verbs;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.sparkrdma.verbs.ffi.ibv_ah_attr;
import org.sparkrdma.verbs.ffi.ibv_gid;
import org.sparkrdma.verbs.ffi.ibv_global_route;
import org.sparkrdma.verbs.ffi.ibv_qp_attr;
import org.sparkrdma.verbs.ffi.ibv_qp_cap;
import org.sparkrdma.verbs.ffi.ibv_qp_init_attr;
import org.sparkrdma.verbs.ffi.rdma_verbs_h;

/** The structures that queue pairs are made and connected with. */
final class QueuePairSetup {
  /** Code for 4.096 us x 2^14, 67 ms: how long to wait for an acknowledgement before a retry. */
  private static final byte ACK_TIMEOUT = 14;

  private static final byte HOP_LIMIT = 64;

  private QueuePairSetup() {}

  static RdmaResource[] parents(
      ProtectionDomain domain, QueuePairOptions options, @Nullable CmIdentifier identifier) {
    List<RdmaResource> parents = new ArrayList<>();
    parents.add(domain);
    parents.add(options.sendCompletions());
    parents.add(options.receiveCompletions());
    if (identifier != null) {
      parents.add(identifier);
    }
    return parents.toArray(RdmaResource[]::new);
  }

  static MemorySegment initAttributes(Arena arena, QueuePairOptions options) {
    MemorySegment init = ibv_qp_init_attr.allocate(arena);
    ibv_qp_init_attr.send_cq(init, options.sendCompletions().cq());
    ibv_qp_init_attr.recv_cq(init, options.receiveCompletions().cq());
    ibv_qp_init_attr.qp_type(init, rdma_verbs_h.IBV_QPT_RC());
    MemorySegment cap = ibv_qp_init_attr.cap(init);
    ibv_qp_cap.max_send_wr(cap, options.sendDepth());
    ibv_qp_cap.max_recv_wr(cap, options.receiveDepth());
    ibv_qp_cap.max_send_sge(cap, options.sendBuffers());
    ibv_qp_cap.max_recv_sge(cap, options.receiveBuffers());
    ibv_qp_cap.max_inline_data(cap, options.inlineBytes());
    return init;
  }

  /** The sizes asked for and the limits, for an error's message. */
  static String describe(Device device, QueuePairOptions options) {
    return String.format(
        Locale.ROOT,
        "send %d x %d, receive %d x %d, inline %d bytes; %s allows depth %d, buffers %d",
        options.sendDepth(),
        options.sendBuffers(),
        options.receiveDepth(),
        options.receiveBuffers(),
        options.inlineBytes(),
        device.name(),
        device.attributes().maxQueueDepth(),
        device.attributes().maxScatterGather());
  }

  /** RESET to INIT to READY_TO_RECEIVE to READY_TO_SEND. */
  static void connect(
      QueuePair pair, Gid gid, QueuePairAddress peer, ConnectionOptions connection) {
    Device device = pair.protectionDomain().device();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment attributes = ibv_qp_attr.allocate(arena);
      toInit(pair, gid, connection, attributes);
      attributes.fill((byte) 0);
      int mtu = Math.min(device.port(gid.port()).activeMtuBytes(), peer.mtuBytes());
      setPath(attributes, gid, peer);
      toReceive(pair, mtu, peer, connection.readsServedOn(device), connection, attributes);
      attributes.fill((byte) 0);
      toSend(pair, connection.readsIssuedOn(device), connection, attributes);
    }
  }

  private static void toInit(
      QueuePair pair, Gid gid, ConnectionOptions connection, MemorySegment attributes) {
    ibv_qp_attr.qp_state(attributes, rdma_verbs_h.IBV_QPS_INIT());
    ibv_qp_attr.port_num(attributes, (byte) gid.port());
    ibv_qp_attr.qp_access_flags(attributes, Access.bits(connection.remoteAccess()));
    int mask =
        rdma_verbs_h.IBV_QP_STATE()
            | rdma_verbs_h.IBV_QP_PKEY_INDEX()
            | rdma_verbs_h.IBV_QP_PORT()
            | rdma_verbs_h.IBV_QP_ACCESS_FLAGS();
    IbvCalls.modifyQp(pair.qp(), attributes, mask, pair + " to INIT");
  }

  private static void setPath(MemorySegment attributes, Gid gid, QueuePairAddress peer) {
    MemorySegment path = ibv_qp_attr.ah_attr(attributes);
    ibv_ah_attr.is_global(path, (byte) 1);
    ibv_ah_attr.port_num(path, (byte) gid.port());
    ibv_ah_attr.dlid(path, (short) peer.lid());
    MemorySegment route = ibv_ah_attr.grh(path);
    ibv_global_route.sgid_index(route, (byte) gid.index());
    ibv_global_route.hop_limit(route, HOP_LIMIT);
    MemorySegment target = ibv_gid.raw(ibv_global_route.dgid(route));
    target.copyFrom(MemorySegment.ofArray(HexFormat.of().parseHex(peer.gid())));
  }

  private static void toReceive(
      QueuePair pair,
      int mtuBytes,
      QueuePairAddress peer,
      int readsServed,
      ConnectionOptions connection,
      MemorySegment attributes) {
    ibv_qp_attr.qp_state(attributes, rdma_verbs_h.IBV_QPS_RTR());
    // ibv_mtu: 1 is 256 bytes, each step doubles.
    ibv_qp_attr.path_mtu(attributes, Integer.numberOfTrailingZeros(mtuBytes) - 7);
    ibv_qp_attr.dest_qp_num(attributes, peer.queuePair());
    ibv_qp_attr.max_dest_rd_atomic(attributes, (byte) readsServed);
    ibv_qp_attr.min_rnr_timer(attributes, (byte) connection.notReadyTimer());
    int mask =
        rdma_verbs_h.IBV_QP_STATE()
            | rdma_verbs_h.IBV_QP_AV()
            | rdma_verbs_h.IBV_QP_PATH_MTU()
            | rdma_verbs_h.IBV_QP_DEST_QPN()
            | rdma_verbs_h.IBV_QP_RQ_PSN()
            | rdma_verbs_h.IBV_QP_MAX_DEST_RD_ATOMIC()
            | rdma_verbs_h.IBV_QP_MIN_RNR_TIMER();
    IbvCalls.modifyQp(pair.qp(), attributes, mask, pair + " to READY_TO_RECEIVE from " + peer);
  }

  private static void toSend(
      QueuePair pair, int readsIssued, ConnectionOptions connection, MemorySegment attributes) {
    ibv_qp_attr.qp_state(attributes, rdma_verbs_h.IBV_QPS_RTS());
    ibv_qp_attr.timeout(attributes, ACK_TIMEOUT);
    ibv_qp_attr.retry_cnt(attributes, (byte) connection.retries());
    ibv_qp_attr.rnr_retry(attributes, (byte) connection.notReadyRetries());
    ibv_qp_attr.max_rd_atomic(attributes, (byte) readsIssued);
    int mask =
        rdma_verbs_h.IBV_QP_STATE()
            | rdma_verbs_h.IBV_QP_TIMEOUT()
            | rdma_verbs_h.IBV_QP_RETRY_CNT()
            | rdma_verbs_h.IBV_QP_RNR_RETRY()
            | rdma_verbs_h.IBV_QP_SQ_PSN()
            | rdma_verbs_h.IBV_QP_MAX_QP_RD_ATOMIC();
    IbvCalls.modifyQp(pair.qp(), attributes, mask, pair + " to READY_TO_SEND");
  }

  /**
   * What connection managers leave open: they allow peers everything, and a timer code of 0, which
   * means 655 ms.
   */
  static void afterConnect(QueuePair pair, ConnectionOptions connection) {
    pair.setRemoteAccess(connection.remoteAccess());
    if (pair.protectionDomain().device().info().transport() == DeviceInfo.Transport.IWARP) {
      return;
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment attributes = ibv_qp_attr.allocate(arena);
      ibv_qp_attr.min_rnr_timer(attributes, (byte) connection.notReadyTimer());
      IbvCalls.modifyQp(
          pair.qp(), attributes, rdma_verbs_h.IBV_QP_MIN_RNR_TIMER(), "receiver-not-ready timer");
    }
  }
}
