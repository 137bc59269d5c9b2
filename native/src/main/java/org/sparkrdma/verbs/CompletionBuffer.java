package org.sparkrdma.verbs;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.sparkrdma.verbs.ffi.ibv_wc;

/**
 * Room for completions, filled by {@link CompletionQueue#poll} again and again. Its fields are read
 * by index, and reading allocates nothing. Belongs to one thread at a time.
 */
public final class CompletionBuffer implements AutoCloseable {
  private static final long SIZE = ibv_wc.layout().byteSize();
  private static final long ID = ibv_wc.wr_id$offset();
  private static final long STATUS = ibv_wc.status$offset();
  private static final long VENDOR_ERROR = ibv_wc.vendor_err$offset();
  private static final long BYTE_LENGTH = ibv_wc.byte_len$offset();
  private static final long IMMEDIATE = ibv_wc.imm_data$offset();
  private static final long QUEUE_PAIR = ibv_wc.qp_num$offset();
  private static final long OPCODE = ibv_wc.opcode$offset();
  private static final long FLAGS = ibv_wc.wc_flags$offset();
  private static final int RECEIVE_BIT = 1 << 7;
  private static final int WITH_IMMEDIATE = 1 << 1;

  private final Arena arena = Arena.ofShared();
  private final MemorySegment memory;
  private final int capacity;
  private int count;

  /**
   * @param capacity completions that fit, from 1; 16 to 64 serve most loops
   */
  public CompletionBuffer(int capacity) {
    if (capacity < 1) {
      throw new IllegalArgumentException("capacity " + capacity + ", must be 1 or more");
    }
    this.capacity = capacity;
    this.memory = arena.allocate(ibv_wc.layout(), capacity);
  }

  MemorySegment memory() {
    return memory;
  }

  void filled(int completions) {
    count = completions;
  }

  /** Completions that fit. */
  public int capacity() {
    return capacity;
  }

  /** Completions of the last poll. */
  public int count() {
    return count;
  }

  /** The id that the request was posted with. */
  public long id(int index) {
    return memory.get(ibv_wc.wr_id$layout(), at(index) + ID);
  }

  public CompletionStatus status(int index) {
    return CompletionStatus.of(memory.get(ibv_wc.status$layout(), at(index) + STATUS));
  }

  public boolean isSuccess(int index) {
    return memory.get(ibv_wc.status$layout(), at(index) + STATUS) == 0;
  }

  /**
   * Whether a receive request completed, by a SEND or by a WRITE with immediate data. Only if
   * successful.
   */
  public boolean isReceive(int index) {
    return (memory.get(ibv_wc.opcode$layout(), at(index) + OPCODE) & RECEIVE_BIT) != 0;
  }

  /** Bytes that a receive or a READ brought; 0 to 2^31. Only if successful. */
  public int byteLength(int index) {
    return memory.get(ibv_wc.byte_len$layout(), at(index) + BYTE_LENGTH);
  }

  /** Whether the peer sent 32 bits beside the data. Only if successful. */
  public boolean hasImmediate(int index) {
    return (memory.get(ibv_wc.wc_flags$layout(), at(index) + FLAGS) & WITH_IMMEDIATE) != 0;
  }

  /** The 32 bits that the peer sent beside the data. */
  public int immediate(int index) {
    return Integer.reverseBytes(memory.get(ibv_wc.imm_data$layout(), at(index) + IMMEDIATE));
  }

  /** Number of the local queue pair; see {@link QueuePair#number()}. */
  public int queuePair(int index) {
    return memory.get(ibv_wc.qp_num$layout(), at(index) + QUEUE_PAIR);
  }

  /** The device's own error code; 0 if successful. */
  public int vendorError(int index) {
    return memory.get(ibv_wc.vendor_err$layout(), at(index) + VENDOR_ERROR);
  }

  /** The exception for a failed completion, not thrown. Allocates. */
  public WorkRequestException failure(int index) {
    return WorkRequestException.of(id(index), status(index), vendorError(index), queuePair(index));
  }

  /**
   * Does nothing for a successful completion.
   *
   * @throws WorkRequestException for a failed one
   */
  public void requireSuccess(int index) {
    if (!isSuccess(index)) {
      throw failure(index);
    }
  }

  private long at(int index) {
    if (index < 0 || index >= count) {
      throw new IndexOutOfBoundsException("completion " + index + " of " + count);
    }
    return index * SIZE;
  }

  @Override
  public void close() {
    if (arena.scope().isAlive()) {
      arena.close();
    }
  }
}
