package org.sparkrdma.verbs;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.sparkrdma.verbs.ffi.ibv_send_wr;

/**
 * SENDs, READs and WRITEs that are posted together, in order, as one linked list; filled, posted
 * and cleared again and again without allocating. Belongs to one thread at a time.
 *
 * <p>Each {@code add} takes one local buffer; {@link #addBuffer} appends more to the request added
 * last. To learn of a whole list's end by one completion, give {@link SendFlag#SIGNALED} to the
 * last request alone: requests of a queue pair complete in order.
 */
public final class WorkRequestList implements AutoCloseable {
  private static final long SIZE = ibv_send_wr.layout().byteSize();
  private static final long ID = ibv_send_wr.wr_id$offset();
  private static final long NEXT = ibv_send_wr.next$offset();
  private static final long BUFFERS = ibv_send_wr.sg_list$offset();
  private static final long BUFFER_COUNT = ibv_send_wr.num_sge$offset();
  private static final long OPCODE = ibv_send_wr.opcode$offset();
  private static final long FLAGS = ibv_send_wr.send_flags$offset();
  private static final long IMMEDIATE = ibv_send_wr.imm_data$offset();
  private static final long REMOTE_ADDRESS =
      ibv_send_wr.wr$offset() + ibv_send_wr.wr.rdma.remote_addr$offset();
  private static final long REMOTE_KEY =
      ibv_send_wr.wr$offset() + ibv_send_wr.wr.rdma.rkey$offset();

  private static final int RDMA_WRITE = 0;
  private static final int RDMA_WRITE_WITH_IMMEDIATE = 1;
  private static final int SEND = 2;
  private static final int SEND_WITH_IMMEDIATE = 3;
  private static final int RDMA_READ = 4;

  private final RequestArray array;
  private final MemorySegment requests;
  private final int capacity;
  private int count;

  /** Room for requests of one local buffer each. */
  public WorkRequestList(int capacity) {
    this(capacity, capacity);
  }

  /**
   * @param capacity requests that fit, from 1
   * @param bufferCapacity local buffers that all requests together can have, from 1
   */
  public WorkRequestList(int capacity, int bufferCapacity) {
    this.array = new RequestArray(SIZE, capacity, bufferCapacity);
    this.requests = array.requests();
    this.capacity = capacity;
  }

  MemorySegment requests() {
    return requests;
  }

  MemorySegment bad() {
    return array.bad();
  }

  int badIndex() {
    return array.badIndex(SIZE);
  }

  /** Requests in the list. */
  public int count() {
    return count;
  }

  /** Requests that fit. */
  public int capacity() {
    return capacity;
  }

  /** Empties the list. Allowed as soon as it is posted: posting copies the requests. */
  public void clear() {
    count = 0;
    array.clear();
  }

  /**
   * Adds an RDMA READ of {@code length} bytes at the peer's address into a slice of a local region.
   *
   * @param id comes back in the completion
   * @param flags of {@link SendFlag}
   */
  public void addRead(
      long id,
      int flags,
      MemoryRegion into,
      long offset,
      long length,
      long remoteAddress,
      int key) {
    array.check(into, offset, length);
    add(id, flags, RDMA_READ, remoteAddress, key);
    addBuffer(into, offset, length);
  }

  /** Adds an RDMA WRITE of a slice of a local region to the peer's address. */
  public void addWrite(
      long id,
      int flags,
      MemoryRegion from,
      long offset,
      long length,
      long remoteAddress,
      int key) {
    array.check(from, offset, length);
    add(id, flags, RDMA_WRITE, remoteAddress, key);
    addBuffer(from, offset, length);
  }

  /** As {@link #addWrite}; the peer's next receive completes with {@code immediate}. */
  public void addWriteWithImmediate(
      long id,
      int flags,
      MemoryRegion from,
      long offset,
      long length,
      long remoteAddress,
      int key,
      int immediate) {
    array.check(from, offset, length);
    add(id, flags, RDMA_WRITE_WITH_IMMEDIATE, remoteAddress, key);
    setImmediate(immediate);
    addBuffer(from, offset, length);
  }

  /** Adds a SEND of a slice of a local region to the peer's next receive. */
  public void addSend(long id, int flags, MemoryRegion from, long offset, long length) {
    array.check(from, offset, length);
    add(id, flags, SEND, 0, 0);
    addBuffer(from, offset, length);
  }

  /** As {@link #addSend}; the peer's receive completes with {@code immediate}. */
  public void addSendWithImmediate(
      long id, int flags, MemoryRegion from, long offset, long length, int immediate) {
    array.check(from, offset, length);
    add(id, flags, SEND_WITH_IMMEDIATE, 0, 0);
    setImmediate(immediate);
    addBuffer(from, offset, length);
  }

  /** Appends a further local buffer to the request added last; the remote side stays one range. */
  public void addBuffer(MemoryRegion region, long offset, long length) {
    if (count == 0) {
      throw new IllegalStateException("no request to add a buffer to");
    }
    array.check(region, offset, length);
    array.addBuffer(region, offset, length);
    long at = (count - 1) * SIZE + BUFFER_COUNT;
    requests.set(ValueLayout.JAVA_INT, at, requests.get(ValueLayout.JAVA_INT, at) + 1);
  }

  private void add(long id, int flags, int opcode, long remoteAddress, int key) {
    if (count == capacity) {
      throw new IllegalStateException("the list has room for " + capacity + " requests");
    }
    long at = count * SIZE;
    if (count > 0) {
      requests.set(ValueLayout.JAVA_LONG, at - SIZE + NEXT, requests.address() + at);
    }
    requests.set(ValueLayout.JAVA_LONG, at + ID, id);
    requests.set(ValueLayout.JAVA_LONG, at + NEXT, 0);
    requests.set(ValueLayout.JAVA_LONG, at + BUFFERS, array.nextBufferAddress());
    requests.set(ValueLayout.JAVA_INT, at + BUFFER_COUNT, 0);
    requests.set(ValueLayout.JAVA_INT, at + OPCODE, opcode);
    requests.set(ValueLayout.JAVA_INT, at + FLAGS, flags);
    requests.set(ValueLayout.JAVA_LONG, at + REMOTE_ADDRESS, remoteAddress);
    requests.set(ValueLayout.JAVA_INT, at + REMOTE_KEY, key);
    count++;
  }

  private void setImmediate(int immediate) {
    requests.set(
        ValueLayout.JAVA_INT, (count - 1) * SIZE + IMMEDIATE, Integer.reverseBytes(immediate));
  }

  @Override
  public void close() {
    array.close();
  }
}
