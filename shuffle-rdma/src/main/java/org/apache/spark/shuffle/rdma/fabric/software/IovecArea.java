package org.apache.spark.shuffle.rdma.fabric.software;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.apache.spark.shuffle.rdma.fabric.Nonce;

/**
 * Native memory for one process_vm_readv call: struct iovec for both sides, room for errno, and a
 * place where the peer's nonce is read to. Used by one thread at a time; taken from an {@link
 * IovecPool}.
 */
final class IovecArea {

  /** Pieces of data in one call: past 64, longer lists make a call no cheaper per piece. */
  static final int DATA_ENTRIES = 64;

  /** With the nonce behind them; far below IOV_MAX, which is 1024. */
  static final int ENTRIES = DATA_ENTRIES + 1;

  private static final int IOVEC_BYTES = 16;
  private static final int VECTOR_BYTES = ENTRIES * IOVEC_BYTES;

  private final MemorySegment errno;
  private final MemorySegment local;
  private final MemorySegment remote;
  private final MemorySegment nonce;

  IovecArea(Arena arena) {
    errno = arena.allocate(Libc.CAPTURE);
    local = arena.allocate(VECTOR_BYTES, Long.BYTES);
    remote = arena.allocate(VECTOR_BYTES, Long.BYTES);
    nonce = arena.allocate(Nonce.BYTES, Long.BYTES);
  }

  void set(int entry, long localAddress, long remoteAddress, long bytes) {
    long at = (long) entry * IOVEC_BYTES;
    local.set(ValueLayout.JAVA_LONG, at, localAddress);
    local.set(ValueLayout.JAVA_LONG, at + Long.BYTES, bytes);
    remote.set(ValueLayout.JAVA_LONG, at, remoteAddress);
    remote.set(ValueLayout.JAVA_LONG, at + Long.BYTES, bytes);
  }

  /** The length of an entry. */
  long bytes(int entry) {
    return local.get(ValueLayout.JAVA_LONG, (long) entry * IOVEC_BYTES + Long.BYTES);
  }

  /** For tests of calls that end early: an entry of fewer bytes at the same addresses. */
  void shorten(int entry, long bytes) {
    long at = (long) entry * IOVEC_BYTES + Long.BYTES;
    local.set(ValueLayout.JAVA_LONG, at, bytes);
    remote.set(ValueLayout.JAVA_LONG, at, bytes);
  }

  /** Makes an entry read a nonce of the peer, for {@link #nonce()}. */
  void setNonce(int entry, long remoteAddress) {
    writeNonce(nonce, Nonce.ZERO);
    set(entry, nonce.address(), remoteAddress, Nonce.BYTES);
  }

  Nonce nonce() {
    return new Nonce(
        nonce.get(ValueLayout.JAVA_LONG, 0), nonce.get(ValueLayout.JAVA_LONG, Long.BYTES));
  }

  /** How a nonce lies in memory: two native longs, high first. */
  static void writeNonce(MemorySegment to, Nonce value) {
    to.set(ValueLayout.JAVA_LONG, 0, value.high());
    to.set(ValueLayout.JAVA_LONG, Long.BYTES, value.low());
  }

  MemorySegment nonceMemory() {
    return nonce;
  }

  MemorySegment errno() {
    return errno;
  }

  MemorySegment local() {
    return local;
  }

  MemorySegment remote() {
    return remote;
  }
}
