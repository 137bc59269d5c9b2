package org.apache.spark.shuffle.rdma.doctor.path;

import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import org.apache.spark.shuffle.rdma.fabric.Nonce;
import org.apache.spark.shuffle.rdma.fabric.Proof;
import org.jspecify.annotations.Nullable;

/** A server's side of one greeting, and of the streams behind it. One thread. */
final class ServerSession {

  private static final long GREETING_SECONDS = 5;

  /** A prober may measure READs for so long between two streams. */
  private static final long IDLE_SECONDS = 120;

  private final SocketChannel channel;
  private final Welcome welcome;
  private final Nonce start;
  private final byte @Nullable [] secret;
  private final PatternedMemory memory;

  ServerSession(
      SocketChannel channel,
      Welcome welcome,
      Nonce start,
      byte @Nullable [] secret,
      PatternedMemory memory) {
    this.channel = channel;
    this.welcome = welcome;
    this.start = start;
    this.secret = secret;
    this.memory = memory;
  }

  /**
   * Greets and serves until the prober closes.
   *
   * @param greeted runs when the prober has been let in
   * @throws IOException if it isn't let in, or says something else than requests, or is late
   */
  void run(Runnable greeted) throws IOException {
    try (Deadline deadline = new Deadline(channel)) {
      channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
      deadline.within(GREETING_SECONDS);
      greet();
      greeted.run();
      while (true) {
        deadline.within(IDLE_SECONDS);
        ByteBuffer request = ByteBuffer.allocate(Greeting.REQUEST_BYTES);
        if (channel.read(request) < 0) {
          return;
        }
        Greeting.readFully(channel, request);
        request.flip();
        stream(request.getLong());
      }
    }
  }

  private void greet() throws IOException {
    Nonce challenge = Nonce.random();
    ByteBuffer hello = ByteBuffer.allocate(Greeting.SERVER_HELLO_BYTES);
    hello.put(Greeting.MAGIC).put((byte) (secret == null ? 0 : 1));
    start.put(hello);
    challenge.put(hello);
    Greeting.writeFully(channel, hello.flip());

    ByteBuffer in = Greeting.read(channel, Greeting.PROBER_HELLO_BYTES);
    Greeting.requireMagic(in);
    Proof proof = Greeting.proof(challenge, start, Nonce.get(in));
    byte[] proven = new byte[Proof.BYTES];
    in.get(proven);
    if (!Proof.same(proof.ofReader(secret), proven)) {
      Greeting.writeFully(channel, ByteBuffer.wrap(new byte[] {Greeting.REFUSED}));
      throw new IOException("it couldn't prove the secret");
    }
    byte[] body = welcome.encode();
    ByteBuffer answer = ByteBuffer.allocate(1 + Proof.BYTES + Integer.BYTES + body.length);
    answer.put(Greeting.WELCOME).put(proof.ofResponder(secret)).putInt(body.length).put(body);
    Greeting.writeFully(channel, answer.flip());
  }

  private void stream(long bytes) throws IOException {
    if (bytes < 1 || bytes > welcome.target().bytes()) {
      throw new IOException("it asked for " + bytes + " bytes");
    }
    Greeting.writeFully(channel, memory.bytes(0, Math.toIntExact(bytes)));
  }
}
