package org.apache.spark.shuffle.rdma.simulation;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.spark.shuffle.rdma.location.Codec;
import org.apache.spark.shuffle.rdma.location.Directory;
import org.apache.spark.shuffle.rdma.location.DirectoryTransport;
import org.apache.spark.shuffle.rdma.location.MalformedMessageException;
import org.apache.spark.shuffle.rdma.location.Message;
import org.apache.spark.shuffle.rdma.memory.OutputLocation;

/** An executor's way to a real directory, by real messages: some are late, lost or garbled. */
final class SimTransport implements DirectoryTransport {

  private static final int MILLIS = 6;

  private final World world;
  private final Directory directory;
  private long lastArrivalMillis;

  SimTransport(World world, Directory directory) {
    this.world = world;
    this.directory = directory;
  }

  @Override
  public boolean send(byte[] message) {
    if (world.strikes(Fault.PUBLICATION_LOST)) {
      return world.random.nextBoolean();
    }
    // One outbox: none arrives before one that was sent before it.
    long now = TimeUnit.NANOSECONDS.toMillis(world.ownerTimer.nanoTime());
    lastArrivalMillis = Math.max(lastArrivalMillis, now + world.delay(MILLIS));
    var _ =
        world.ownerTimer.schedule(
            () -> arrive(message), lastArrivalMillis - now, TimeUnit.MILLISECONDS);
    return true;
  }

  private void arrive(byte[] message) {
    switch (decode(message)) {
      case Message.Publish publish ->
          directory.publish(
              publish.executorId(), publish.locations().stream().map(this::maybeWrong).toList());
      case Message.Absent absent ->
          directory.absent(
              absent.executorId(), absent.shuffleId(), absent.absence(), absent.mapIds());
      default -> throw new AssertionError("nobody sends " + Arrays.toString(message));
    }
  }

  /** Says one partition more than the page does: the page's reader must notice. */
  private OutputLocation maybeWrong(OutputLocation location) {
    return world.strikes(Fault.LOCATION_WRONG)
        ? new OutputLocation(
            location.shuffleId(),
            location.mapId(),
            location.partitions() + 1,
            location.dataAddress(),
            location.dataLength(),
            location.dataKey(),
            location.pageAddress(),
            location.pageKey())
        : location;
  }

  @Override
  public CompletableFuture<byte[]> ask(byte[] message, long timeoutMillis) {
    CompletableFuture<byte[]> answer = new CompletableFuture<>();
    if (world.strikes(Fault.LOOKUP_LOST)) {
      return answer;
    }
    long there = world.delay(MILLIS);
    long back = world.delay(MILLIS);
    if (there + back == 0) {
      answer.complete(reply(message));
    } else if (world.strikes(Fault.LOOKUP_FAILS)) {
      world.later(there, () -> answer.completeExceptionally(new IOException("simulated")));
    } else {
      world.later(
          there,
          () -> {
            byte[] reply = reply(message);
            world.later(back, () -> answer.complete(reply));
          });
    }
    return answer;
  }

  private byte[] reply(byte[] message) {
    Message.Lookup lookup = (Message.Lookup) decode(message);
    byte[] reply = directory.lookup(lookup.shuffleId(), lookup.haveVersion());
    return world.strikes(Fault.LOOKUP_GARBLED) ? Arrays.copyOf(reply, reply.length - 1) : reply;
  }

  private static Message decode(byte[] message) {
    try {
      return Codec.decode(message);
    } catch (MalformedMessageException e) {
      throw new AssertionError(List.of(message).toString(), e);
    }
  }
}
