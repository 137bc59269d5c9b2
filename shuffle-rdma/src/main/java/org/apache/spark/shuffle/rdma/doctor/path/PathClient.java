package org.apache.spark.shuffle.rdma.doctor.path;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import org.apache.spark.shuffle.rdma.fabric.Nonce;
import org.apache.spark.shuffle.rdma.fabric.Proof;
import org.jspecify.annotations.Nullable;

/** A prober's connection of TCP to a server: the greeting, then streams to compare with. */
final class PathClient implements AutoCloseable {

  private static final long CONNECT_SECONDS = 10;
  private static final long STREAM_SECONDS = 60;

  private final SocketChannel channel;
  private final Deadline deadline;
  private final Welcome welcome;
  private final InetSocketAddress server;

  /**
   * Connects and greets.
   *
   * @throws IOException if nobody is there, or it's no doctor, or one side lacks the secret
   */
  PathClient(InetSocketAddress server, byte @Nullable [] secret) throws IOException {
    if (server.isUnresolved()) {
      throw new IOException("no such host: " + server.getHostString());
    }
    this.server = server;
    channel = SocketChannel.open();
    deadline = new Deadline(channel);
    Welcome said = null;
    try {
      deadline.within(CONNECT_SECONDS);
      channel.connect(server);
      channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
      said = greet(secret);
    } catch (IOException e) {
      throw new IOException(
          "no greeting with "
              + server
              + ": "
              + (e.getMessage() == null ? "too late" : e.getMessage()),
          e);
    } finally {
      if (said == null) {
        close();
      }
    }
    welcome = said;
  }

  private Welcome greet(byte @Nullable [] secret) throws IOException {
    ByteBuffer hello = Greeting.read(channel, Greeting.SERVER_HELLO_BYTES);
    Greeting.requireMagic(hello);
    boolean wanted = hello.get() != 0;
    if (wanted != (secret != null)) {
      throw new IOException(
          wanted
              ? "the server wants a secret: give it by --secret-file"
              : "the server has no secret: leave out --secret-file, or give it to the server, too");
    }
    Nonce start = Nonce.get(hello);
    Nonce challenge = Nonce.get(hello);
    Nonce own = Nonce.random();
    Proof proof = Greeting.proof(challenge, start, own);
    ByteBuffer answer = ByteBuffer.allocate(Greeting.PROBER_HELLO_BYTES).put(Greeting.MAGIC);
    own.put(answer);
    Greeting.writeFully(channel, answer.put(proof.ofReader(secret)).flip());
    if (Greeting.read(channel, 1).get() != Greeting.WELCOME) {
      throw new IOException("the server refused: its secret is another one");
    }
    ByteBuffer head = Greeting.read(channel, Proof.BYTES + Integer.BYTES);
    byte[] proven = new byte[Proof.BYTES];
    head.get(proven);
    if (!Proof.same(proof.ofResponder(secret), proven)) {
      throw new IOException("the server couldn't prove the secret");
    }
    int length = head.getInt();
    if (length < 1 || length > Welcome.MAX_BYTES) {
      throw new IOException("the server's greeting is malformed");
    }
    return Welcome.parse(Greeting.read(channel, length));
  }

  Welcome welcome() {
    return welcome;
  }

  InetSocketAddress server() {
    return server;
  }

  /** Has as many bytes of the server's memory sent as the buffer takes. */
  void stream(ByteBuffer into) throws IOException {
    deadline.within(STREAM_SECONDS);
    request(into.remaining());
    Greeting.readFully(channel, into);
    deadline.close();
  }

  /** For tests: waits for the first byte of an answer. */
  void ask(long bytes) throws IOException {
    deadline.within(STREAM_SECONDS);
    request(bytes);
    var _ = Greeting.read(channel, 1);
  }

  private void request(long bytes) throws IOException {
    Greeting.writeFully(channel, ByteBuffer.allocate(Greeting.REQUEST_BYTES).putLong(bytes).flip());
  }

  @Override
  public void close() {
    deadline.close();
    Deadline.closeQuietly(channel);
  }
}
