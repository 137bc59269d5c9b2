package org.apache.spark.shuffle.rdma.fabric.software;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One accepted connection: checks each request as a network card would and answers from the
 * registered memory. Runs on its own virtual thread; another thread may only {@link #close()} it or
 * ask what it {@link #holds}.
 */
final class ResponderConnection implements Runnable {

  private static final Logger LOG = LoggerFactory.getLogger(ResponderConnection.class);

  private final Responder responder;
  private final SocketChannel channel;
  private final Activity activity = new Activity();

  /** The regions of the request that is being answered, entered; null where done with. */
  private volatile @Nullable SoftwareRegion[] held = new @Nullable SoftwareRegion[0];

  ResponderConnection(Responder responder, SocketChannel channel) {
    this.responder = responder;
    this.channel = channel;
  }

  @Override
  public void run() {
    try (Arena arena = Arena.ofConfined()) {
      SocketInput in = new SocketInput(channel, activity, arena);
      SocketOutput out = new SocketOutput(channel, activity, arena);
      Future<?> deadline = responder.helloDeadline(channel);
      String reader;
      try {
        reader = responder.handshake().run(in, out);
      } finally {
        deadline.cancel(false);
      }
      LOG.debug("Executor {} reads here by TCP", reader);
      while (in.await(Wire.REQUEST_BYTES)) {
        if (!answer(in, out)) {
          drain(in);
          return;
        }
      }
    } catch (IOException | InternalError e) {
      // InternalError: the file behind a mapped region was cut short, so there is nothing to read.
      responder.report(channel, e);
    } finally {
      close();
      responder.ended(this);
    }
  }

  /** False after a refusal, which is the last answer. */
  private boolean answer(SocketInput in, SocketOutput out) throws IOException {
    ByteBuffer header = in.buffer();
    int magic = header.getInt();
    int count = header.getInt();
    if (magic != Wire.MAGIC || count < 1 || count > Wire.MAX_READS) {
      throw new IOException(
          "a request of " + count + " reads, magic " + Integer.toHexString(magic));
    }
    ByteBuffer reads = in.need(count * Wire.READ_BYTES);
    RequestedReads request = new RequestedReads(responder.regions(), reads, count);
    held = request.regions();
    try {
      ByteBuffer answer = out.room(Wire.ANSWER_BYTES);
      answer.putInt(Wire.MAGIC).putInt(request.status()).putInt(request.refused());
      answer.putLong(request.bytes());
      request.send(out);
      out.flush();
    } finally {
      request.leave();
    }
    return request.status() == Wire.OK;
  }

  /**
   * Lets the reader see the refusal before the connection ends: closing a socket with requests
   * unread in it would reset the connection and may take the answer with it.
   */
  private void drain(SocketInput in) throws IOException {
    channel.shutdownOutput();
    Future<?> deadline = responder.helloDeadline(channel);
    try {
      while (in.await(1)) {
        in.buffer().position(in.buffer().limit());
      }
    } finally {
      deadline.cancel(false);
    }
  }

  boolean holds(SoftwareRegion region) {
    for (SoftwareRegion one : held) {
      if (one == region) {
        return true;
      }
    }
    return false;
  }

  /**
   * Ends it if for this long the peer has sent nothing and taken nothing. True if it did, or if it
   * had ended before.
   */
  boolean closeIfIdle(long millis) {
    boolean idle = activity.isIdleFor(millis);
    if (idle) {
      close();
    }
    return idle;
  }

  /** Ends it, wherever its thread is. Idempotent. */
  void close() {
    Deadlines.closeQuietly(channel);
  }
}
