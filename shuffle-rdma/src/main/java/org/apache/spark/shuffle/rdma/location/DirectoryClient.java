package org.apache.spark.shuffle.rdma.location;

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.apache.spark.shuffle.rdma.memory.Absence;
import org.apache.spark.shuffle.rdma.memory.OutputLocation;
import org.apache.spark.shuffle.rdma.metrics.Counter;
import org.apache.spark.shuffle.rdma.metrics.CounterSnapshot;
import org.apache.spark.shuffle.rdma.metrics.Counters;
import org.apache.spark.shuffle.rdma.metrics.ExecutorStatus;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What an executor tells the directory. {@link #hello} once at the start; the others any time after
 * it, from any thread: they wait for nothing and never throw, since nothing of ours may fail a map
 * task. What doesn't arrive is a miss for readers, and their blocks go by TCP.
 */
public final class DirectoryClient {

  private static final Logger LOG = LoggerFactory.getLogger(DirectoryClient.class);

  private final DirectoryTransport transport;
  private final Counters counters;
  private final String executorId;

  /**
   * @param executorId at most {@link Limits#MAX_EXECUTOR_ID_BYTES}
   */
  public DirectoryClient(DirectoryTransport transport, Counters counters, String executorId) {
    Limits.checkText("executor id", executorId, Limits.MAX_EXECUTOR_ID_BYTES);
    this.transport = transport;
    this.counters = counters;
    this.executorId = executorId;
  }

  /**
   * Makes this executor known to the directory, and waits for the answer.
   *
   * @param timeoutMillis how long to wait, 1 or more
   * @throws DirectoryUnreachableException if the directory refuses, or doesn't answer in time, or
   *     the thread is interrupted (it stays so)
   */
  public void hello(String fabricName, byte[] fabricAddress, long timeoutMillis)
      throws DirectoryUnreachableException {
    byte[] message =
        Codec.encode(
            new Message.Hello(executorId, fabricName, fabricAddress, Codec.PROTOCOL_VERSION));
    try {
      byte[] answer =
          transport.ask(message, timeoutMillis).get(timeoutMillis, TimeUnit.MILLISECONDS);
      if (!(Codec.decode(answer) instanceof Message.HelloReply reply)) {
        throw new DirectoryUnreachableException("the directory answered something else to hello");
      }
      if (!reply.accepted()) {
        throw new DirectoryUnreachableException("the directory refused: " + reply.refusal());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new DirectoryUnreachableException("interrupted while saying hello", e);
    } catch (TimeoutException e) {
      throw new DirectoryUnreachableException(
          "no answer to hello within " + timeoutMillis + " ms", e);
    } catch (ExecutionException e) {
      throw new DirectoryUnreachableException("hello failed: " + e.getCause(), e.getCause());
    } catch (MalformedMessageException e) {
      throw new DirectoryUnreachableException("unusable answer to hello: " + e.getMessage(), e);
    }
  }

  /**
   * Publishes an output, before its map task reports success.
   *
   * @return false if it couldn't be sent; either is counted
   */
  public boolean publish(OutputLocation location) {
    boolean sent = send(() -> new Message.Publish(executorId, List.of(location)));
    counters.increment(sent ? Counter.PUBLICATIONS : Counter.PUBLICATIONS_FAILED);
    return sent;
  }

  /**
   * Tells that outputs aren't to be read any more, after their generation was changed; or that
   * there's nothing to be read, before their map task reports success.
   *
   * @return false if that couldn't be sent: readers then find out by the generation, or find
   *     nothing
   */
  public boolean absent(int shuffleId, Absence absence, long... mapIds) {
    boolean sent = true;
    for (int from = 0; from < mapIds.length; from += Limits.MAX_MAP_IDS) {
      int to = Math.min(mapIds.length, from + Limits.MAX_MAP_IDS);
      long[] some = Arrays.copyOfRange(mapIds, from, to);
      sent &= send(() -> new Message.Absent(executorId, shuffleId, absence, some));
    }
    return sent;
  }

  /**
   * Sends this executor's counters since its start, and its status.
   *
   * @return false if they couldn't be sent
   */
  public boolean report(CounterSnapshot snapshot, ExecutorStatus status) {
    return send(() -> new Message.Report(executorId, snapshot.toArray(), status));
  }

  private boolean send(Supplier<Message> message) {
    try {
      return transport.send(Codec.encode(message.get()));
    } catch (RuntimeException e) {
      // A defect of ours, but it's the map task that would fail.
      LOG.warn("A message to the directory couldn't be made or sent", e);
      return false;
    }
  }
}
