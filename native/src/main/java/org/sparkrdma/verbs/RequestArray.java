package org.sparkrdma.verbs;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.sparkrdma.verbs.ffi.ibv_sge;
import org.sparkrdma.verbs.ffi.rdma_verbs_h;

/**
 * The native half of a work request list: local buffers in one array, and room for the first bad
 * request.
 */
final class RequestArray implements AutoCloseable {
  private static final long SGE_BYTES = ibv_sge.layout().byteSize();
  private static final long SGE_ADDRESS = ibv_sge.addr$offset();
  private static final long SGE_LENGTH = ibv_sge.length$offset();
  private static final long SGE_KEY = ibv_sge.lkey$offset();

  private final Arena arena = Arena.ofShared();
  private final MemorySegment requests;
  private final MemorySegment buffers;
  private final MemorySegment bad;
  private final int bufferCapacity;
  private int bufferCount;

  RequestArray(long requestBytes, int requestCapacity, int bufferCapacity) {
    if (requestCapacity < 1 || bufferCapacity < 1) {
      throw new IllegalArgumentException(
          "room for "
              + requestCapacity
              + " requests and "
              + bufferCapacity
              + " buffers: must be 1 or more");
    }
    this.bufferCapacity = bufferCapacity;
    requests = arena.allocate(requestBytes * requestCapacity, Long.BYTES);
    buffers = arena.allocate(ibv_sge.layout(), bufferCapacity);
    bad = arena.allocate(rdma_verbs_h.C_POINTER);
  }

  MemorySegment requests() {
    return requests;
  }

  /** Room for the first bad request; a library that fails without naming one has posted none. */
  MemorySegment bad() {
    bad.set(ValueLayout.JAVA_LONG, 0, requests.address());
    return bad;
  }

  void clear() {
    bufferCount = 0;
  }

  /** Address of the place that the next buffer will take. */
  long nextBufferAddress() {
    return buffers.address() + bufferCount * SGE_BYTES;
  }

  /**
   * Refuses a slice outside its region, and one too many, here, where the mistake still has a
   * stack.
   */
  void check(MemoryRegion region, long offset, long length) {
    if (offset < 0
        || length < 0
        || offset > region.length() - length
        || length > Integer.MAX_VALUE) {
      throw new IndexOutOfBoundsException(
          "bytes " + offset + " to " + (offset + length) + " of " + region);
    }
    if (bufferCount == bufferCapacity) {
      throw new IllegalStateException("the list has room for " + bufferCapacity + " buffers");
    }
  }

  /** Adds a slice of a region that was checked. */
  void addBuffer(MemoryRegion region, long offset, long length) {
    long at = bufferCount * SGE_BYTES;
    buffers.set(ibv_sge.addr$layout(), at + SGE_ADDRESS, region.address() + offset);
    buffers.set(ibv_sge.length$layout(), at + SGE_LENGTH, (int) length);
    buffers.set(ibv_sge.lkey$layout(), at + SGE_KEY, region.localKey());
    bufferCount++;
  }

  /** Index of the first request that was not posted, from what the library stored. */
  int badIndex(long requestBytes) {
    long address = bad.get(rdma_verbs_h.C_POINTER, 0).address();
    long offset = address - requests.address();
    // rxe stores NULL when it had queued all and its device turned out to be gone: none will be
    // done.
    return offset < 0 || offset >= requests.byteSize() ? 0 : (int) (offset / requestBytes);
  }

  @Override
  public void close() {
    if (arena.scope().isAlive()) {
      arena.close();
    }
  }
}
