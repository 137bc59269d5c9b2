package org.apache.spark.shuffle.rdma.fabric.software;

import java.util.List;
import org.apache.spark.shuffle.rdma.fabric.Completions;
import org.apache.spark.shuffle.rdma.fabric.Connection;
import org.apache.spark.shuffle.rdma.fabric.FabricException;
import org.apache.spark.shuffle.rdma.fabric.FabricException.Kind;
import org.apache.spark.shuffle.rdma.fabric.Nonce;
import org.jspecify.annotations.Nullable;

/**
 * Reads a process of the same host in the caller's thread: a list has completed when {@link #read}
 * returns, so nothing is ever queued. A completion that posts the next list recurses.
 *
 * <p>Keys aren't checked: what is readable in the peer can be read. Memory that isn't there gives
 * {@link Kind#ACCESS_ERROR} and leaves the connection open. Each list ends with a look at the
 * peer's nonce: so data of a process that got a dead peer's pid never counts, and a peer that
 * closed its fabric is noticed.
 */
final class DirectConnection implements Connection {

  private final DirectReader reader;
  private final SoftwareAddress peer;
  private volatile boolean closed;
  private volatile boolean broken;

  DirectConnection(DirectReader reader, SoftwareAddress peer) {
    this.reader = reader;
    this.peer = peer;
  }

  @Override
  public Way way() {
    return Way.DIRECT;
  }

  @Override
  public boolean isOpen() {
    return !closed && !broken && !reader.gate().isClosed();
  }

  @Override
  public void read(List<Read> reads, Completion completion) {
    Reads.check(reads, reader.regions());
    if (!reader.gate().enter()) {
      Completions.run(completion, Reads.closed(peer));
      return;
    }
    // Left only behind the completion: the fabric's close() promises that it has run.
    try {
      Completions.run(completion, reader.areas().with(area -> copy(area, reads)));
    } finally {
      reader.gate().leave();
    }
  }

  private @Nullable FabricException copy(IovecArea area, List<Read> reads) {
    DirectCursor cursor = new DirectCursor(reads, peer.nonceAddress());
    while (true) {
      // Asked before each system call, so that closing waits for one of them at most.
      if (closed || reader.gate().isClosed()) {
        return Reads.closed(peer);
      }
      if (broken) {
        return new FabricException(
            Kind.CONNECTION_LOST, "the connection to " + peer + " is broken");
      }
      int entries = cursor.fill(area);
      if (entries < 0) {
        return accessError(cursor, "address overflow");
      }
      long copied = reader.memory().read(peer.pid(), area, entries);
      if (copied <= 0) {
        return explain(area, cursor, copied);
      }
      if (cursor.advance(copied)) {
        return area.nonce().sameAs(peer.nonce()) ? null : gone(Kind.PEER_TERMINATED, "closed");
      }
    }
  }

  /** What a call without progress means: the memory or the whole peer isn't there. */
  private FabricException explain(IovecArea area, DirectCursor cursor, long result) {
    if (result == -Libc.ESRCH || result == -Libc.EPERM) {
      // EPERM: this process could read it at connect, so the pid is another user's by now.
      return gone(Kind.PEER_UNREACHABLE, "ended");
    }
    if (result == 0 || result == -Libc.EFAULT) {
      long alive = reader.probe(area, peer);
      if (alive == Nonce.BYTES) {
        return accessError(cursor, "no readable memory");
      }
      return alive < 0 && alive != -Libc.EFAULT
          ? gone(Kind.PEER_UNREACHABLE, "ended")
          : gone(Kind.PEER_TERMINATED, "closed its fabric or ended");
    }
    return gone(Kind.CONNECTION_LOST, "can't be read: errno " + -result);
  }

  private FabricException accessError(DirectCursor cursor, String what) {
    return new FabricException(
        Kind.ACCESS_ERROR, what + " for " + cursor.position() + " in " + peer);
  }

  private FabricException gone(Kind kind, String how) {
    broken = true;
    return new FabricException(kind, peer + " " + how);
  }

  @Override
  public void close() {
    closed = true;
  }
}
