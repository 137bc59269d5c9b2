package org.sparkrdma.bench.fetch;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.spark.network.buffer.ManagedBuffer;
import org.apache.spark.network.shuffle.BlockFetchingListener;

/**
 * Fetches in the way of Spark's fetcher iterator: requests go out while no more than 48 MiB are on
 * their way, blocks come into a queue, and the task's thread takes one out, lets the next requests
 * go, and reads what it took. But it doesn't stop between two reducers. Used once, by one thread.
 */
final class WindowedReader implements BlockFetchingListener {

  private static final long TIMEOUT_SECONDS = 60;

  /** What a task does with a block. */
  interface Consumer {
    /** Reads it; the buffer is released afterwards. */
    void consume(String blockId, ManagedBuffer data) throws IOException;
  }

  private sealed interface Arrival {}

  private record Arrived(String blockId, ManagedBuffer data) implements Arrival {}

  private record Failed(String blockId, Throwable failure) implements Arrival {}

  private final BlockingQueue<Arrival> arrivals = new LinkedBlockingQueue<>();
  private final List<FetchRequest> requests;
  private final BlockSource source;
  private int next;
  private long inFlightBytes;
  private int blocksInFlight;

  /** Nothing is fetched yet. */
  WindowedReader(List<FetchRequest> requests, BlockSource source) {
    this.requests = requests;
    this.source = source;
  }

  /**
   * Reads all.
   *
   * @throws IOException if a block can't be fetched, or none comes for a minute
   */
  void read(Consumer consumer) throws IOException, InterruptedException {
    send();
    while (blocksInFlight > 0) {
      Arrived block = take();
      try {
        blocksInFlight--;
        inFlightBytes -= block.data.size();
        send();
        consumer.consume(block.blockId, block.data);
      } finally {
        block.data.release();
      }
    }
  }

  private void send() {
    while (next < requests.size() && fits(requests.get(next))) {
      FetchRequest request = requests.get(next);
      next++;
      inFlightBytes += request.bytes();
      blocksInFlight += request.ids().length;
      source.fetch(request, this);
    }
  }

  private boolean fits(FetchRequest request) {
    return blocksInFlight == 0
        || inFlightBytes + request.bytes() <= FetchRequest.MAX_IN_FLIGHT_BYTES;
  }

  private Arrived take() throws IOException, InterruptedException {
    return switch (arrivals.poll(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
      case Arrived arrived -> arrived;
      case Failed failed ->
          throw new IOException("block " + failed.blockId + " didn't come", failed.failure);
      case null ->
          throw new IOException(
              blocksInFlight + " blocks didn't come in " + TIMEOUT_SECONDS + " s");
    };
  }

  /** Any thread; the task keeps the block until it has read it. */
  @Override
  public void onBlockFetchSuccess(String blockId, ManagedBuffer data) {
    arrivals.add(new Arrived(blockId, data.retain()));
  }

  /** Any thread. */
  @Override
  public void onBlockFetchFailure(String blockId, Throwable failure) {
    arrivals.add(new Failed(blockId, failure));
  }
}
