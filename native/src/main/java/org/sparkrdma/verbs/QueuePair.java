package org.sparkrdma.verbs;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.sparkrdma.verbs.ffi.InlineVerbs;
import org.sparkrdma.verbs.ffi.ibv_qp;
import org.sparkrdma.verbs.ffi.ibv_qp_attr;
import org.sparkrdma.verbs.ffi.ibv_qp_init_attr;
import org.sparkrdma.verbs.ffi.rdma_verbs_h;

/**
 * One end of a reliable connection. Requests are posted in lists, complete in order on a completion
 * queue, and the first that fails breaks the pair: it goes to the error state and all behind is
 * flushed.
 *
 * <p>Any thread may post; the order of posts by several threads is open. Posting allocates nothing.
 * Whoever closes a queue pair with requests under way gets no completions for them: {@link
 * #moveToError} and poll until they are flushed, then close.
 *
 * <p>Give requests a deadline all the same: siw (iWARP in software) never completes what is posted
 * to a pair that has broken without this side knowing yet.
 */
public final class QueuePair extends RdmaResource {
  private final ProtectionDomain domain;
  private final QueuePairOptions options;
  private final MemorySegment qp;
  private final int number;
  private final MemorySegment postSendFunction;
  private final MemorySegment postRecvFunction;
  private final Consumer<MemorySegment> destroyer;

  /**
   * {@code destroyer} frees {@code qp}; {@code identifier} is the connection that it belongs to, if
   * any.
   */
  private QueuePair(
      ProtectionDomain domain,
      QueuePairOptions options,
      @Nullable CmIdentifier identifier,
      MemorySegment qp,
      Consumer<MemorySegment> destroyer) {
    super(QueuePairSetup.parents(domain, options, identifier));
    this.domain = domain;
    this.options = options;
    this.qp = qp;
    this.destroyer = destroyer;
    this.number = ibv_qp.qp_num(qp);
    LayoutCheck.require(
        ibv_qp.context(qp).equals(domain.device().context())
            && ibv_qp.pd(qp).equals(domain.pd())
            && ibv_qp.send_cq(qp).equals(options.sendCompletions().cq())
            && ibv_qp.qp_type(qp) == rdma_verbs_h.IBV_QPT_RC(),
        "ibv_qp");
    this.postSendFunction = InlineVerbs.postSendFunction(domain.device().context());
    this.postRecvFunction = InlineVerbs.postRecvFunction(domain.device().context());
    opened();
  }

  static QueuePair create(ProtectionDomain domain, QueuePairOptions options) {
    domain.enter();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment init = QueuePairSetup.initAttributes(arena, options);
      MemorySegment qp =
          IbvCalls.createQp(domain.pd(), init, QueuePairSetup.describe(domain.device(), options));
      return new QueuePair(domain, options, null, qp, IbvCalls::destroyQp);
    } finally {
      domain.leave();
    }
  }

  /** Wraps a queue pair that librdmacm made, and that only it can destroy. */
  static QueuePair ofConnection(
      ProtectionDomain domain,
      QueuePairOptions options,
      CmIdentifier identifier,
      MemorySegment qp,
      Consumer<MemorySegment> destroyer) {
    return new QueuePair(domain, options, identifier, qp, destroyer);
  }

  MemorySegment qp() {
    return qp;
  }

  /** Number of this queue pair on its device, as completions name it. */
  public int number() {
    return number;
  }

  public ProtectionDomain protectionDomain() {
    return domain;
  }

  public QueuePairOptions options() {
    return options;
  }

  /**
   * Posts SENDs, READs and WRITEs; returns before they are done. Regions and remote memory must
   * stay as they are until the completion.
   *
   * @throws PostException if the queue is full, the list does not suit the queue pair, or the pair
   *     isn't connected; says how many were posted
   */
  public void post(WorkRequestList list) {
    if (list.count() == 0) {
      return;
    }
    enter();
    try {
      int errno = InlineVerbs.postSend(postSendFunction, qp, list.requests(), list.bad());
      if (errno != 0) {
        throw new PostException(
            "ibv_post_send", Math.abs(errno), list.badIndex(), list.count(), toString());
      }
    } finally {
      leave();
    }
  }

  /**
   * Posts receives; each takes one message.
   *
   * @throws PostException as {@link #post(WorkRequestList)}
   */
  public void post(ReceiveList list) {
    if (list.count() == 0) {
      return;
    }
    enter();
    try {
      int errno = InlineVerbs.postRecv(postRecvFunction, qp, list.requests(), list.bad());
      if (errno != 0) {
        throw new PostException(
            "ibv_post_recv", Math.abs(errno), list.badIndex(), list.count(), toString());
      }
    } finally {
      leave();
    }
  }

  /** Asks for the state. */
  public QueuePairState state() {
    enter();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment attributes = ibv_qp_attr.allocate(arena);
      IbvCalls.queryQp(
          qp, attributes, rdma_verbs_h.IBV_QP_STATE(), ibv_qp_init_attr.allocate(arena));
      return QueuePairState.of(ibv_qp_attr.qp_state(attributes));
    } finally {
      leave();
    }
  }

  /**
   * Breaks the pair: what is under way is flushed and completes with FLUSHED. The way out of a
   * deadline.
   */
  public void moveToError() {
    enter();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment attributes = ibv_qp_attr.allocate(arena);
      ibv_qp_attr.qp_state(attributes, rdma_verbs_h.IBV_QPS_ERR());
      IbvCalls.modifyQp(qp, attributes, rdma_verbs_h.IBV_QP_STATE(), toString() + " to ERROR");
    } finally {
      leave();
    }
  }

  /** Sets what the peer may do from now on. Connecting does this by itself. */
  public void setRemoteAccess(Set<Access> access) {
    enter();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment attributes = ibv_qp_attr.allocate(arena);
      ibv_qp_attr.qp_access_flags(attributes, Access.bits(access));
      IbvCalls.modifyQp(
          qp, attributes, rdma_verbs_h.IBV_QP_ACCESS_FLAGS(), "remote access " + access);
    } finally {
      leave();
    }
  }

  /**
   * What a peer needs to {@link #connect} to this queue pair, to be sent by any other way.
   *
   * @param gid the local address to use
   */
  public QueuePairAddress address(Gid gid) {
    return QueuePairAddress.of(number, domain.device().port(gid.port()), gid);
  }

  /**
   * Connects a queue pair of {@link ProtectionDomain#createQueuePair} with no connection manager:
   * both ends exchange addresses and call this. Not for iWARP, which has no such way.
   *
   * @param gid the local address that the peer was given
   */
  public void connect(Gid gid, QueuePairAddress peer, ConnectionOptions connection) {
    enter();
    try {
      QueuePairSetup.connect(this, gid, peer, connection);
    } finally {
      leave();
    }
  }

  @Override
  void free() {
    destroyer.accept(qp);
  }

  @Override
  public String toString() {
    return "queue pair " + number + " on " + domain.device().name();
  }
}
