package org.sparkrdma.verbs;

import java.lang.foreign.MemorySegment;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.sparkrdma.verbs.ffi.InlineVerbs;
import org.sparkrdma.verbs.ffi.ibv_cq;

/**
 * Where finished work requests of one or more queue pairs show up. Any thread may poll; which of
 * several threads gets a completion is open. Polling allocates nothing.
 *
 * <p>The queue must have room for all requests that can complete between two polls: one that
 * overflows is broken for good. Closing it closes the queue pairs that use it.
 */
public final class CompletionQueue extends RdmaResource {
  private final MemorySegment cq;
  private final MemorySegment pollFunction;
  private final MemorySegment notifyFunction;
  private final int entries;
  private final @Nullable CompletionChannel channel;

  CompletionQueue(Device device, @Nullable CompletionChannel channel, int entries, int vector) {
    super(channel == null ? new RdmaResource[] {device} : new RdmaResource[] {device, channel});
    this.channel = channel;
    device.enter();
    try {
      MemorySegment context = device.context();
      MemorySegment channelPointer = channel == null ? MemorySegment.NULL : channel.channel();
      cq =
          IbvCalls.createCq(
              context,
              entries,
              channelPointer,
              vector,
              String.format(
                  Locale.ROOT,
                  "%d entries, at most %d; vector %d of %d",
                  entries,
                  device.attributes().maxCompletionEntries(),
                  vector,
                  device.completionVectors()));
      LayoutCheck.require(
          ibv_cq.context(cq).equals(context)
              && ibv_cq.channel(cq).address() == channelPointer.address()
              && ibv_cq.cqe(cq) >= entries,
          "ibv_cq");
      this.entries = ibv_cq.cqe(cq);
      pollFunction = InlineVerbs.pollCqFunction(context);
      notifyFunction = InlineVerbs.reqNotifyCqFunction(context);
      if (channel != null) {
        channel.attach(this);
      }
      opened();
    } finally {
      device.leave();
    }
  }

  MemorySegment cq() {
    return cq;
  }

  /** Room for completions: at least what was asked for. */
  public int entries() {
    return entries;
  }

  /**
   * Takes completions out, as many as are there and fit; doesn't wait.
   *
   * @param into overwritten
   * @return how many, from 0 to the buffer's capacity
   * @throws VerbException if the queue is broken
   */
  public int poll(CompletionBuffer into) {
    enter();
    try {
      int count = InlineVerbs.pollCq(pollFunction, cq, into.capacity(), into.memory());
      if (count < 0) {
        throw new VerbException("ibv_poll_cq", -count, toString());
      }
      into.filled(count);
      return count;
    } finally {
      leave();
    }
  }

  /**
   * Asks for one announcement on the channel, of the next completion that arrives. Poll once after
   * it.
   */
  public void requestNotification() {
    enter();
    try {
      int errno = InlineVerbs.reqNotifyCq(notifyFunction, cq, 0);
      if (errno != 0) {
        throw new VerbException("ibv_req_notify_cq", Math.abs(errno), toString());
      }
    } finally {
      leave();
    }
  }

  @Override
  void free() {
    if (channel != null) {
      channel.detach(this);
    }
    IbvCalls.destroyCq(cq);
  }

  @Override
  public String toString() {
    return "completion queue of " + entries + " entries";
  }
}
