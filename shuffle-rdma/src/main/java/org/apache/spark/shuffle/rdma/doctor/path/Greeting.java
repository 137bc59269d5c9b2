package org.apache.spark.shuffle.rdma.doctor.path;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.apache.spark.shuffle.rdma.fabric.Nonce;
import org.apache.spark.shuffle.rdma.fabric.Proof;

/**
 * What both sides say to each other over TCP, in this order; all of fixed length but the last.
 *
 * <ol>
 *   <li>server: {@link #MAGIC}, 1 if it wants a secret, its nonce of the start, a challenge
 *   <li>prober: {@link #MAGIC}, its nonce, its proof
 *   <li>server: {@link #WELCOME}, its proof, the length of a {@link Welcome} and this; or {@link
 *       #REFUSED}
 *   <li>prober, again and again: a length; server: that many bytes of its memory
 * </ol>
 */
final class Greeting {

  /** Its last character is the version. */
  static final byte[] MAGIC = "RDMADOC1".getBytes(StandardCharsets.US_ASCII);

  static final int SERVER_HELLO_BYTES = MAGIC.length + 1 + 2 * Nonce.BYTES;
  static final int PROBER_HELLO_BYTES = MAGIC.length + Nonce.BYTES + Proof.BYTES;
  static final int REQUEST_BYTES = Long.BYTES;

  static final byte WELCOME = 1;
  static final byte REFUSED = 2;

  private static final String PROTOCOL = "doctor 1";
  private static final String PROBER = "doctor-probe";
  private static final String SERVER = "doctor-serve";

  private Greeting() {}

  static Proof proof(Nonce challenge, Nonce start, Nonce prober) {
    return new Proof(PROTOCOL, challenge, start, prober, PROBER, SERVER);
  }

  /** Takes the magic off a message. */
  static void requireMagic(ByteBuffer in) throws IOException {
    byte[] magic = new byte[MAGIC.length];
    in.get(magic);
    if (!Arrays.equals(magic, MAGIC)) {
      throw new IOException("the other side isn't an rdma-doctor of this version");
    }
  }

  /** Reads exactly so many bytes; the deadline is whoever closes the channel. */
  static ByteBuffer read(SocketChannel channel, int bytes) throws IOException {
    ByteBuffer in = ByteBuffer.allocate(bytes);
    readFully(channel, in);
    return in.flip();
  }

  static void readFully(SocketChannel channel, ByteBuffer in) throws IOException {
    while (in.hasRemaining()) {
      if (channel.read(in) < 0) {
        throw new EOFException("the other side closed the connection");
      }
    }
  }

  static void writeFully(SocketChannel channel, ByteBuffer out) throws IOException {
    while (out.hasRemaining()) {
      channel.write(out);
    }
  }
}
