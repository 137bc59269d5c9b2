package org.apache.spark.shuffle.rdma.fabric;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A connection to one peer, for reads alone. Any thread may call any method.
 *
 * <p>A read list that fails may break the connection ({@link #isOpen()} turns false): the lists
 * behind it then complete with {@link FabricException.Kind#CONNECTION_LOST} and may be posted again
 * on a new connection.
 */
public interface Connection extends AutoCloseable {

  /** The most lists that may be outstanding on one connection; one more is refused. */
  int MAX_OUTSTANDING_LISTS = 4096;

  /** How bytes travel on this connection. */
  Way way();

  /** False once closed or broken; it never turns true again. */
  boolean isOpen();

  /**
   * Reads remote memory into local regions. The reads of a list take effect in order: what a later
   * one sees was in memory no earlier than what the ones before it saw.
   *
   * <p>The completion runs exactly once: with null when every read of the list is done, else with
   * the first failure. It may run on the calling thread before this method returns, or on a thread
   * of the fabric, which it must not block. So a completion that posts the next list may recurse:
   * who chains many posts them from a loop. Once it has run, the fabric no longer writes into the
   * list's destinations; until then they must stay alive, whatever happens.
   *
   * <p>There's no deadline here: who waits too long calls {@link #close()}, which ends all
   * outstanding lists.
   *
   * @param reads 1 or more; destinations in {@link Fabric.Access#LOCAL_WRITE} regions of the same
   *     fabric
   * @throws IllegalArgumentException for an empty list or another destination; nothing is posted
   */
  void read(List<Read> reads, Completion completion);

  /**
   * Closes; outstanding lists complete with {@link FabricException.Kind#CLOSED}. Idempotent.
   * Doesn't wait: their completions may still come after it has returned, and destinations must
   * live until then.
   */
  @Override
  void close();

  /** One read of a list. */
  record Read(
      long remoteAddress, long remoteKey, Region local, long localOffset, long lengthBytes) {
    public Read {
      if (lengthBytes < 1 || localOffset < 0 || localOffset > local.length() - lengthBytes) {
        throw new IllegalArgumentException(
            "a read of "
                + lengthBytes
                + " bytes to offset "
                + localOffset
                + " doesn't fit a region of "
                + local.length()
                + " bytes");
      }
    }
  }

  /** What a list ends with. */
  @FunctionalInterface
  interface Completion {
    /**
     * Called once.
     *
     * @param failure null when all reads are done
     */
    void complete(@Nullable FabricException failure);
  }

  /** How bytes travel. */
  enum Way {
    /** The reader's own system call copies from the peer's memory; same host. */
    DIRECT,
    /** A responder thread of the peer sends them. */
    TCP,
    /** RDMA READ by a network card (or a kernel driver that stands in for one). */
    VERBS
  }
}
