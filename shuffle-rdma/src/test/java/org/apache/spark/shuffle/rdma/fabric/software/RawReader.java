package org.apache.spark.shuffle.rdma.fabric.software;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.apache.spark.shuffle.rdma.fabric.Nonce;
import org.apache.spark.shuffle.rdma.fabric.Proof;
import org.jspecify.annotations.Nullable;

/** A client that writes the protocol's bytes itself, right or wrong. */
final class RawReader implements AutoCloseable {

  /** A hang in the responder fails the test instead of stopping it. */
  private static final int LIMIT_MILLIS = 120_000;

  private final SoftwareAddress peer;
  private final Socket socket;
  private final DataInputStream in;

  RawReader(byte[] address) throws IOException {
    peer = SoftwareAddress.parse(address);
    socket = new Socket(peer.host(), peer.port());
    socket.setSoTimeout(LIMIT_MILLIS);
    in = new DataInputStream(socket.getInputStream());
  }

  /** Takes the greeting and says which challenge it has. */
  Nonce greeting() throws IOException {
    ByteBuffer greeting = ByteBuffer.wrap(read(Wire.GREETING_BYTES));
    return Nonce.get(greeting.position(6));
  }

  byte[] hello(Nonce challenge, byte @Nullable [] secret) {
    Proof proof =
        new Proof(Wire.PROTOCOL, challenge, peer.nonce(), Nonce.random(), "raw", peer.owner());
    ByteBuffer hello = ByteBuffer.allocate(Wire.HELLO_BYTES + 3);
    hello.putInt(Wire.MAGIC).put(Wire.VERSION).put(secret == null ? 0 : Wire.FLAG_SECRET);
    proof.start().put(hello);
    proof.reader().put(hello);
    hello.put(proof.ofReader(secret)).put((byte) 3);
    return hello.put("raw".getBytes(StandardCharsets.UTF_8)).array();
  }

  /** Sends a hello; the status of the welcome. */
  byte welcome(byte[] hello) throws IOException {
    write(hello);
    return read(Wire.WELCOME_BYTES)[5];
  }

  /** Shakes hands as it should be, without a secret. */
  RawReader open() throws IOException {
    if (welcome(hello(greeting(), null)) != Wire.WELCOME) {
      throw new IOException("not welcome");
    }
    return this;
  }

  static byte[] request(int magic, int count, long... words) {
    ByteBuffer request = ByteBuffer.allocate(Wire.REQUEST_BYTES + 8 * words.length);
    request.putInt(magic).putInt(count);
    for (long word : words) {
      request.putLong(word);
    }
    return request.array();
  }

  void write(byte[] bytes) throws IOException {
    socket.getOutputStream().write(bytes);
  }

  byte[] read(int bytes) throws IOException {
    byte[] read = new byte[bytes];
    in.readFully(read);
    return read;
  }

  /**
   * What came until the end of the connection.
   *
   * @param ended as it should be, and not by a reset
   */
  record Said(byte[] bytes, boolean ended) {}

  /** Sends all that this side ever says, and takes all that the responder says to it. */
  Said exchange(byte[] stream) throws IOException {
    ByteArrayOutputStream said = new ByteArrayOutputStream();
    try {
      write(stream);
      socket.shutdownOutput();
      in.transferTo(said);
      return new Said(said.toByteArray(), true);
    } catch (SocketTimeoutException e) {
      throw new AssertionError("the responder keeps the connection", e);
    } catch (IOException e) {
      return new Said(said.toByteArray(), false);
    }
  }

  /** Waits for the responder to end the connection; the bytes that came before. */
  int untilEnd() throws IOException {
    try {
      int bytes = 0;
      while (in.read() >= 0) {
        bytes++;
      }
      return bytes;
    } catch (SocketTimeoutException e) {
      throw new AssertionError("the responder keeps the connection", e);
    } catch (IOException e) {
      return 0; // A reset is an end as well.
    }
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
