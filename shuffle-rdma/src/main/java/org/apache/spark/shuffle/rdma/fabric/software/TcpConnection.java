package org.apache.spark.shuffle.rdma.fabric.software;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.concurrent.Future;
import org.apache.spark.shuffle.rdma.fabric.Completions;
import org.apache.spark.shuffle.rdma.fabric.Connection;
import org.apache.spark.shuffle.rdma.fabric.FabricException;
import org.apache.spark.shuffle.rdma.fabric.FabricException.Kind;
import org.jspecify.annotations.Nullable;

/**
 * Reads a peer through its responder. Lists are queued, sent by a writer thread and received by a
 * reader thread, both virtual; completions run on the latter, in the order of the lists.
 *
 * <p>Like a queue pair, it breaks at the first failure: a refused list completes with {@link
 * Kind#ACCESS_ERROR}, those behind it with {@link Kind#CONNECTION_LOST}. Only the reader thread
 * writes into destinations, and it completes what is left when it has ended; so {@link #close()}
 * doesn't wait, and completions may follow it.
 */
final class TcpConnection implements Connection {

  /** How long the reader may look for the peer's last answer after the writer has failed. */
  private static final long LAST_ANSWER_MILLIS = 1_000;

  private final SoftwareFabric fabric;
  private final SoftwareAddress peer;
  private final SocketChannel channel;
  private final Activity activity = new Activity();
  private final ListQueue queue = new ListQueue();

  TcpConnection(SoftwareFabric fabric, SoftwareAddress peer, SocketChannel channel) {
    this.fabric = fabric;
    this.peer = peer;
    this.channel = channel;
  }

  /** Starts both threads; false if the fabric is closing, and then the channel is closed. */
  boolean start() {
    boolean reads = fabric.crew().start("read-" + peer.owner(), this::readAll);
    if (!reads || !fabric.crew().start("write-" + peer.owner(), this::writeAll)) {
      close();
      return false;
    }
    return true;
  }

  @Override
  public Way way() {
    return Way.TCP;
  }

  @Override
  public boolean isOpen() {
    return !queue.hasEnded();
  }

  @Override
  public void read(List<Read> reads, Completion completion) {
    Reads.check(reads, fabric.regions());
    FabricException refused = queue.offer(new PendingList(reads, completion));
    if (refused != null) {
      Completions.run(completion, refused);
    }
  }

  private void writeAll() {
    try (Arena arena = Arena.ofConfined()) {
      SocketOutput out = new SocketOutput(channel, activity, arena);
      PendingList list = queue.take();
      while (list != null) {
        list.send(out);
        if (queue.idle()) {
          out.flush();
        }
        list = queue.take();
      }
    } catch (IOException e) {
      // The peer may have said why before it ended: the reader gets to see that, and reports.
      Future<?> _ = fabric.deadline(channel, LAST_ANSWER_MILLIS);
    } catch (RuntimeException e) {
      end(new FabricException(Kind.CONNECTION_LOST, "a defect in sending to " + peer, e));
      throw e;
    }
  }

  private void readAll() {
    try (Arena arena = Arena.ofConfined()) {
      SocketInput in = new SocketInput(channel, activity, arena);
      while (in.await(Wire.ANSWER_BYTES)) {
        receive(in);
      }
      end(new FabricException(Kind.PEER_TERMINATED, peer + " ended the connection"));
    } catch (FabricException e) {
      end(e);
    } catch (IOException e) {
      end(
          new FabricException(
              Kind.CONNECTION_LOST, "the connection to " + peer + " broke: " + e, e));
    } catch (RuntimeException e) {
      end(new FabricException(Kind.CONNECTION_LOST, "a defect in reading from " + peer, e));
      throw e;
    } finally {
      queue.drain();
      fabric.ended(this);
    }
  }

  private void receive(SocketInput in) throws IOException {
    ByteBuffer answer = in.buffer();
    int magic = answer.getInt();
    int status = answer.getInt();
    int refused = answer.getInt();
    long bytes = answer.getLong();
    @Nullable PendingList list = queue.head();
    if (magic != Wire.MAGIC || list == null) {
      throw new FabricException(Kind.CONNECTION_LOST, peer + " answers what wasn't asked");
    }
    if (status != Wire.OK) {
      String why = status == Wire.REFUSED_KEY ? "no region has the key of " : "out of bounds: ";
      throw new FabricException(Kind.ACCESS_ERROR, why + list.describe(refused) + ", says " + peer);
    }
    if (bytes != list.nextBytes()) {
      throw new FabricException(
          Kind.CONNECTION_LOST,
          peer + " announces " + bytes + " bytes where " + list.nextBytes() + " are due");
    }
    if (list.receive(in)) {
      queue.removeHead();
      Completions.run(list.completion(), null);
    }
  }

  private void end(FabricException cause) {
    queue.end(cause);
    Deadlines.closeQuietly(channel);
  }

  /** Ends it if nothing is under way, and nothing was for this long. */
  void closeIfIdle(long millis) {
    // Not CLOSED: a list that comes a moment too late is worth another connection.
    if (activity.isIdleFor(millis)
        && queue.endIfEmpty(
            new FabricException(Kind.CONNECTION_LOST, "closed since it was idle: " + peer))) {
      Deadlines.closeQuietly(channel);
    }
  }

  @Override
  public void close() {
    end(Reads.closed(peer));
  }
}
