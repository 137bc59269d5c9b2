package org.apache.spark.shuffle.rdma.doctor.path;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.spark.shuffle.rdma.fabric.Connection;
import org.apache.spark.shuffle.rdma.fabric.Fabric;

/** Reads a server's memory by one connection of a fabric, and waits for it. One thread. */
final class Reader implements AutoCloseable {

  /** A list that takes longer is taken for lost. */
  private static final long READ_SECONDS = 30;

  /** The fabric's own deadline is shorter. */
  private static final long CONNECT_SECONDS = 60;

  private final Connection connection;
  private final Target target;
  private final PatternedMemory into;

  private Reader(Connection connection, Target target, PatternedMemory into) {
    this.connection = connection;
    this.target = target;
    this.into = into;
  }

  /**
   * Connects.
   *
   * @param into where all reads go; none is under way when {@link #read} has returned
   */
  static Reader connect(Fabric fabric, byte[] address, Target target, PatternedMemory into)
      throws IOException {
    return new Reader(await(fabric.connect(address), CONNECT_SECONDS), target, into);
  }

  Connection.Way way() {
    return connection.way();
  }

  /**
   * Reads pieces that lie one behind another, as one list, to the start of the destination.
   *
   * @param from the place of the first one, in the server's memory
   * @param bytes of each piece; all of them fit into both memories
   * @param pieces how many, 1 or more
   */
  void read(long from, long bytes, int pieces) throws IOException {
    List<Connection.Read> reads = new ArrayList<>(pieces);
    for (int i = 0; i < pieces; i++) {
      reads.add(
          new Connection.Read(
              target.address() + from + i * bytes, target.key(), into.region(), i * bytes, bytes));
    }
    CompletableFuture<Boolean> done = new CompletableFuture<>();
    connection.read(
        reads,
        failure -> {
          if (failure == null) {
            done.complete(true);
          } else {
            done.completeExceptionally(failure);
          }
        });
    try {
      await(done, READ_SECONDS);
    } finally {
      if (!done.isDone()) {
        // Nobody may write to the destination any more when this returns.
        connection.close();
        done.exceptionally(failure -> false)
            .completeOnTimeout(false, READ_SECONDS, TimeUnit.SECONDS)
            .join();
      }
    }
  }

  private static <T> T await(CompletableFuture<T> future, long seconds) throws IOException {
    try {
      return future.get(seconds, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof IOException known ? known : new IOException(e.getCause());
    } catch (TimeoutException e) {
      throw new IOException("no answer within " + seconds + " s", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  @Override
  public void close() {
    connection.close();
  }
}
