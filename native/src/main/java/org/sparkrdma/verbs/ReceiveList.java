package org.sparkrdma.verbs;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.sparkrdma.verbs.ffi.ibv_recv_wr;

/**
 * Receives that are posted together; filled, posted and cleared again and again without allocating.
 * Belongs to one thread at a time.
 */
public final class ReceiveList implements AutoCloseable {
  private static final long SIZE = ibv_recv_wr.layout().byteSize();
  private static final long ID = ibv_recv_wr.wr_id$offset();
  private static final long NEXT = ibv_recv_wr.next$offset();
  private static final long BUFFERS = ibv_recv_wr.sg_list$offset();
  private static final long BUFFER_COUNT = ibv_recv_wr.num_sge$offset();

  private final RequestArray array;
  private final MemorySegment requests;
  private final int capacity;
  private int count;

  /** Room for receives of one buffer each. */
  public ReceiveList(int capacity) {
    this(capacity, capacity);
  }

  /**
   * @param capacity receives that fit, from 1
   * @param bufferCapacity buffers that all receives together can have, from 1
   */
  public ReceiveList(int capacity, int bufferCapacity) {
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

  /** Receives in the list. */
  public int count() {
    return count;
  }

  /** Empties the list. Allowed as soon as it is posted. */
  public void clear() {
    count = 0;
    array.clear();
  }

  /**
   * Adds a receive into a slice of a region that allows local writes; {@code id} comes back at
   * completion.
   */
  public void add(long id, MemoryRegion into, long offset, long length) {
    if (count == capacity) {
      throw new IllegalStateException("the list has room for " + capacity + " receives");
    }
    array.check(into, offset, length);
    long at = count * SIZE;
    if (count > 0) {
      requests.set(ValueLayout.JAVA_LONG, at - SIZE + NEXT, requests.address() + at);
    }
    requests.set(ValueLayout.JAVA_LONG, at + ID, id);
    requests.set(ValueLayout.JAVA_LONG, at + NEXT, 0);
    requests.set(ValueLayout.JAVA_LONG, at + BUFFERS, array.nextBufferAddress());
    requests.set(ValueLayout.JAVA_INT, at + BUFFER_COUNT, 0);
    count++;
    addBuffer(into, offset, length);
  }

  /** Appends a further buffer to the receive added last. */
  public void addBuffer(MemoryRegion into, long offset, long length) {
    if (count == 0) {
      throw new IllegalStateException("no receive to add a buffer to");
    }
    array.check(into, offset, length);
    array.addBuffer(into, offset, length);
    long at = (count - 1) * SIZE + BUFFER_COUNT;
    requests.set(ValueLayout.JAVA_INT, at, requests.get(ValueLayout.JAVA_INT, at) + 1);
  }

  @Override
  public void close() {
    array.close();
  }
}
