package org.apache.spark.shuffle.rdma.location;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;

/**
 * Reaches a real {@link Directory} in this process; lookups wait until the test lets them go on.
 */
final class HeldTransport implements DirectoryTransport {

  private record Held(Message.Lookup lookup, CompletableFuture<byte[]> answer) {}

  final Directory directory = new Directory();
  private final Deque<Held> held = new ArrayDeque<>();
  boolean holds = true;
  int asks;

  @Override
  public boolean send(byte[] message) {
    throw new UnsupportedOperationException("the tests publish to the directory themselves");
  }

  @Override
  public CompletableFuture<byte[]> ask(byte[] message, long timeoutMillis) {
    asks++;
    Held one = new Held(decode(message), new CompletableFuture<>());
    if (holds) {
      held.add(one);
    } else {
      one.answer.complete(lookup(one));
    }
    return one.answer;
  }

  private byte[] lookup(Held one) {
    return directory.lookup(one.lookup.shuffleId(), one.lookup.haveVersion());
  }

  private static Message.Lookup decode(byte[] message) {
    try {
      return (Message.Lookup) Codec.decode(message);
    } catch (MalformedMessageException e) {
      throw new AssertionError(e);
    }
  }

  int inFlight() {
    return held.size();
  }

  /** Lets the oldest lookup reach the directory and its answer arrive. */
  void deliver() {
    arrive(reach());
  }

  /** What the directory answers now to the oldest lookup, which hasn't arrived yet. */
  byte[] reach() {
    return lookup(held.element());
  }

  /** Lets this answer to the oldest lookup arrive. */
  void arrive(byte[] answer) {
    held.remove().answer.complete(answer);
  }

  /** Lets the oldest lookup fail. */
  void fail(String reason) {
    held.remove().answer.completeExceptionally(new java.io.IOException(reason));
  }
}
