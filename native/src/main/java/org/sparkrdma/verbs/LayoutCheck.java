package org.sparkrdma.verbs;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.util.Optional;
import org.sparkrdma.verbs.RdmaUnavailableException.Reason;
import org.sparkrdma.verbs.ffi.ibv_ah_attr;
import org.sparkrdma.verbs.ffi.ibv_context;
import org.sparkrdma.verbs.ffi.ibv_context_ops;
import org.sparkrdma.verbs.ffi.ibv_device;
import org.sparkrdma.verbs.ffi.ibv_qp_attr;
import org.sparkrdma.verbs.ffi.ibv_qp_cap;
import org.sparkrdma.verbs.ffi.rdma_addr;
import org.sparkrdma.verbs.ffi.rdma_cm_id;
import org.sparkrdma.verbs.ffi.rdma_route;
import org.sparkrdma.verbs.ffi.rdma_verbs_h;
import org.sparkrdma.verbs.ffi.sockaddr_in;

/**
 * Compares the bindings' structures with the loaded libraries. No library exports its structures'
 * sizes, so this has functions of the libraries read and write structures whose contents are known:
 *
 * <ul>
 *   <li>at load, with no device: {@code ibv_qp_attr} (each field and the size) by the function that
 *       fills it from the kernel's fixed format; {@code ibv_device} by its name's place; {@code
 *       rdma_cm_id} by the ports in its addresses;
 *   <li>when a device is opened: {@code ibv_context}, by what it says about itself;
 *   <li>when objects are made: regions, queues and queue pairs, by the pointers and sizes that they
 *       repeat.
 * </ul>
 */
final class LayoutCheck {
  /** Bytes after a structure that must stay as they were. */
  private static final int MARGIN_BYTES = 64;

  private static final byte MARK = (byte) 0xA5;

  private LayoutCheck() {}

  static void check() {
    try (Arena arena = Arena.ofConfined()) {
      checkDevice(arena);
      checkQueuePairAttributes(arena);
      checkIdentifier(arena);
    }
  }

  static void require(boolean same, String what) {
    if (!same) {
      throw new RdmaUnavailableException(
          Reason.LIBRARY_MISMATCH,
          "the loaded rdma-core lays out "
              + what
              + " in another way than these bindings do;"
              + " they fit libibverbs.so.1 and librdmacm.so.1 of rdma-core 17 and later");
    }
  }

  private static void checkDevice(Arena arena) {
    MemorySegment device = ibv_device.allocate(arena);
    ibv_device.name(device).setString(0, "probe");
    MemorySegment name = rdma_verbs_h.ibv_get_device_name(device);
    require(name.address() == ibv_device.name(device).address(), "ibv_device");
  }

  /** The ports that librdmacm finds in an identifier made here are the ones that were put there. */
  private static void checkIdentifier(Arena arena) {
    MemorySegment id = rdma_cm_id.allocate(arena);
    MemorySegment address = rdma_route.addr(rdma_cm_id.route(id));
    MemorySegment source = rdma_addr.src_sin(address);
    MemorySegment target = rdma_addr.dst_sin(address);
    sockaddr_in.sin_family(source, (short) rdma_verbs_h.AF_INET());
    sockaddr_in.sin_port(source, (short) 0x1234);
    sockaddr_in.sin_family(target, (short) rdma_verbs_h.AF_INET());
    sockaddr_in.sin_port(target, (short) 0x4321);
    require(
        rdma_verbs_h.rdma_get_src_port(id) == 0x1234
            && rdma_verbs_h.rdma_get_dst_port(id) == 0x4321,
        "rdma_cm_id");
  }

  /**
   * Has the library convert the kernel's {@code ib_uverbs_qp_attr}, which never changes, with
   * another value in each byte.
   */
  private static void checkQueuePairAttributes(Arena arena) {
    Optional<MemorySegment> converter =
        SymbolLookup.libraryLookup("libibverbs.so.1", arena).find("ibv_copy_qp_attr_from_kern");
    if (converter.isEmpty()) {
      return;
    }
    long size = ibv_qp_attr.layout().byteSize();
    MemorySegment guarded = arena.allocate(size + MARGIN_BYTES, Long.BYTES);
    guarded.asSlice(size).fill(MARK);
    MemorySegment kernel = arena.allocate(KERNEL_QP_ATTR_BYTES, Long.BYTES);
    for (int i = 0; i < KERNEL_QP_ATTR_BYTES; i++) {
      kernel.set(ValueLayout.JAVA_BYTE, i, (byte) (i + 1));
    }
    try {
      Linker.nativeLinker()
          .downcallHandle(
              converter.get(), FunctionDescriptor.ofVoid(ValueLayout.ADDRESS, ValueLayout.ADDRESS))
          .invokeExact(guarded, kernel);
    } catch (Throwable e) {
      throw new LinkageError("ibv_copy_qp_attr_from_kern", e);
    }
    for (int i = 0; i < MARGIN_BYTES; i++) {
      require(guarded.get(ValueLayout.JAVA_BYTE, size + i) == MARK, "ibv_qp_attr (its size)");
    }
    compareQueuePairAttributes(guarded.asSlice(0, size), kernel);
  }

  private static final int KERNEL_QP_ATTR_BYTES = 144;

  /**
   * The numbers are offsets in the kernel's structure: ten words, two paths of 32 bytes, five
   * words, bytes.
   */
  private static void compareQueuePairAttributes(MemorySegment made, MemorySegment kernel) {
    MemorySegment cap = ibv_qp_attr.cap(made);
    MemorySegment path = ibv_qp_attr.ah_attr(made);
    MemorySegment alternative = ibv_qp_attr.alt_ah_attr(made);
    boolean words =
        ibv_qp_attr.path_mtu(made) == word(kernel, 12)
            && ibv_qp_attr.qkey(made) == word(kernel, 20)
            && ibv_qp_attr.dest_qp_num(made) == word(kernel, 32)
            && ibv_qp_attr.qp_access_flags(made) == word(kernel, 36)
            && ibv_qp_cap.max_send_wr(cap) == word(kernel, 104)
            && ibv_qp_cap.max_inline_data(cap) == word(kernel, 120);
    boolean paths =
        ibv_ah_attr.sl(path) == kernel.get(ValueLayout.JAVA_BYTE, 66)
            && ibv_ah_attr.port_num(path) == kernel.get(ValueLayout.JAVA_BYTE, 70)
            && ibv_ah_attr.port_num(alternative) == kernel.get(ValueLayout.JAVA_BYTE, 102);
    boolean bytes =
        ibv_qp_attr.max_rd_atomic(made) == kernel.get(ValueLayout.JAVA_BYTE, 130)
            && ibv_qp_attr.min_rnr_timer(made) == kernel.get(ValueLayout.JAVA_BYTE, 132)
            && ibv_qp_attr.rnr_retry(made) == kernel.get(ValueLayout.JAVA_BYTE, 136)
            && ibv_qp_attr.alt_timeout(made) == kernel.get(ValueLayout.JAVA_BYTE, 138);
    require(words && paths && bytes, "ibv_qp_attr");
  }

  private static int word(MemorySegment kernel, long offset) {
    return kernel.get(ValueLayout.JAVA_INT, offset);
  }

  /**
   * What an open context says about itself: its device, and the descriptors and calls that it must
   * have.
   */
  static void checkContext(MemorySegment context, MemorySegment device) {
    MemorySegment operations = ibv_context.ops(context);
    require(
        ibv_context.device(context).equals(device)
            && ibv_context.async_fd(context) >= 0
            && ibv_context.cmd_fd(context) >= 0
            && ibv_context.num_comp_vectors(context) > 0
            && ibv_context.abi_compat(context).address() == -1L
            && ibv_context_ops.poll_cq(operations).address() != 0
            && ibv_context_ops.post_send(operations).address() != 0,
        "ibv_context");
  }
}
