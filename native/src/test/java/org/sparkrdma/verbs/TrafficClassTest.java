package org.sparkrdma.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.sparkrdma.verbs.Access.REMOTE_READ;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.sparkrdma.verbs.ffi.ibv_ah_attr;
import org.sparkrdma.verbs.ffi.ibv_global_route;
import org.sparkrdma.verbs.ffi.ibv_qp_attr;
import org.sparkrdma.verbs.ffi.ibv_qp_init_attr;
import org.sparkrdma.verbs.ffi.rdma_verbs_h;

/** What is asked for when connecting is what the queue pair puts into its packets. */
@VerbsTest
final class TrafficClassTest {

  /** Class selector 3 in the upper six bits, as switches know it. */
  private static final int LOSSLESS = 26 << 2;

  @Test
  void theTypeOfServiceIsTheQueuePairsTrafficClass() {
    try (Pair marked = Pair.connect(LOSSLESS);
        Pair plain = Pair.connect();
        WorkRequestList list = new WorkRequestList(1)) {
      // On iWARP it's a matter of the TCP connection, of which a queue pair says nothing.
      int seen = TestNetwork.isIwarp() ? 0 : LOSSLESS;
      assertEquals(seen, trafficClass(marked.client.queuePair()));
      assertEquals(0, trafficClass(plain.client.queuePair()));
      MemoryRegion source = marked.serverEnd.filled(4096, 1, Set.of(REMOTE_READ));
      MemoryRegion sink = marked.clientEnd.region(4096, marked.clientEnd.sink());
      list.addRead(1, SendFlag.SIGNALED, sink, 0, 4096, source.address(), source.remoteKey());
      marked.client.queuePair().post(list);
      assertEquals(CompletionStatus.SUCCESS, marked.clientEnd.await(1).getFirst().status());
    }
  }

  private static int trafficClass(QueuePair pair) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment attributes = ibv_qp_attr.allocate(arena);
      IbvCalls.queryQp(
          pair.qp(), attributes, rdma_verbs_h.IBV_QP_AV(), ibv_qp_init_attr.allocate(arena));
      MemorySegment route = ibv_ah_attr.grh(ibv_qp_attr.ah_attr(attributes));
      return Byte.toUnsignedInt(ibv_global_route.traffic_class(route));
    }
  }
}
