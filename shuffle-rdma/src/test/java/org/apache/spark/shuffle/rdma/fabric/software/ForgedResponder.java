package org.apache.spark.shuffle.rdma.fabric.software;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.spark.shuffle.rdma.fabric.Nonce;
import org.apache.spark.shuffle.rdma.fabric.Proof;

/**
 * Takes one connection and says what an input makes of a good responder's words: the number of
 * changes to greeting and welcome 1 byte, the changes, then for each list whether its data is cut 1
 * byte (and to how many bytes 2 bytes) and the changes to the answer's 20 bytes; what is left comes
 * behind.
 */
final class ForgedResponder implements AutoCloseable {

  private static final int HANDSHAKE_BYTES = Wire.GREETING_BYTES + Wire.WELCOME_BYTES;

  private final ServerSocket listener;
  private final byte[] changes = new byte[HANDSHAKE_BYTES];
  private final ByteArrayOutputStream answers = new ByteArrayOutputStream();
  private final Thread thread;

  ForgedResponder(byte[] input) throws IOException {
    ByteBuffer in = ByteBuffer.wrap(input);
    int count = in.hasRemaining() ? in.get() & 0xff : 0;
    in.get(changes, 0, Math.min(count, Math.min(changes.length, in.remaining())));
    for (int[] lengths : ReaderFuzz.LENGTHS) {
      prepare(in, lengths);
    }
    byte[] rest = new byte[in.remaining()];
    in.get(rest);
    answers.writeBytes(rest);
    listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    thread = Thread.ofVirtual().start(this::play);
  }

  private void prepare(ByteBuffer in, int[] lengths) {
    int due = IntStream.of(lengths).sum();
    boolean cut = in.remaining() >= 3 && (in.get() & 1) != 0;
    int sent = cut ? Math.min(due, Short.toUnsignedInt(in.getShort())) : due;
    byte[] header = ResponderModel.header(Wire.OK, -1, due);
    for (int i = 0; i < header.length && in.hasRemaining(); i++) {
      header[i] ^= in.get();
    }
    answers.writeBytes(header);
    for (int i = 0; i < sent; i++) {
      answers.write(i * 7 + due);
    }
  }

  /**
   * What each list must get of all that is said: a cut answer takes its data from what comes behind
   * it, since nothing in the stream says where that begins. Lists from the first one on that must
   * fail aren't in it.
   */
  List<byte[]> dueData() {
    List<byte[]> data = new ArrayList<>();
    ByteBuffer in = ByteBuffer.wrap(answers.toByteArray());
    for (int[] lengths : ReaderFuzz.LENGTHS) {
      int due = IntStream.of(lengths).sum();
      if (in.remaining() < Wire.ANSWER_BYTES + due) {
        return data;
      }
      boolean good = in.getInt() == Wire.MAGIC && in.getInt() == Wire.OK;
      // Which read was refused is of no interest where none was.
      in.position(in.position() + 4);
      if (!good || in.getLong() != due) {
        return data;
      }
      byte[] bytes = new byte[due];
      in.get(bytes);
      data.add(bytes);
    }
    return data;
  }

  int port() {
    return listener.getLocalPort();
  }

  private void play() {
    try (Socket socket = listener.accept()) {
      socket.setSoTimeout(60_000);
      byte[] greeting =
          ByteBuffer.allocate(Wire.GREETING_BYTES)
              .putInt(Wire.MAGIC)
              .put(Wire.VERSION)
              .put(Wire.FLAG_SECRET)
              .array();
      change(greeting, 0);
      socket.getOutputStream().write(greeting);
      DataInputStream in = new DataInputStream(socket.getInputStream());
      byte[] hello = new byte[Wire.HELLO_BYTES + "reader".length()];
      in.readFully(hello);
      Nonce challenge = Nonce.get(ByteBuffer.wrap(greeting).position(6));
      Nonce reader = Nonce.get(ByteBuffer.wrap(hello).position(6 + Nonce.BYTES));
      Proof proof =
          new Proof(Wire.PROTOCOL, challenge, new Nonce(1, 2), reader, "reader", "forged");
      byte[] welcome =
          ByteBuffer.allocate(Wire.WELCOME_BYTES)
              .putInt(Wire.MAGIC)
              .put(Wire.VERSION)
              .put(Wire.WELCOME)
              .put(proof.ofResponder(ReaderFuzz.SECRET))
              .array();
      change(welcome, Wire.GREETING_BYTES);
      socket.getOutputStream().write(welcome);
      for (int[] lengths : ReaderFuzz.LENGTHS) {
        in.readFully(new byte[Wire.REQUEST_BYTES + lengths.length * Wire.READ_BYTES]);
      }
      socket.getOutputStream().write(answers.toByteArray());
      socket.shutdownOutput();
      in.transferTo(OutputStream.nullOutputStream());
    } catch (IOException e) {
      // The reader has gone, as it may at any time.
      return;
    }
  }

  private void change(byte[] words, int from) {
    for (int i = 0; i < words.length; i++) {
      words[i] ^= changes[from + i];
    }
  }

  /** Waits until it has said everything, or can't. */
  void played() throws InterruptedException {
    if (!thread.join(Duration.ofMinutes(2))) {
      throw new AssertionError("the reader keeps the connection");
    }
  }

  /** Whether nothing is changed that matters before the first answer. */
  boolean mustConnect() {
    for (int i = 0; i < changes.length; i++) {
      boolean challenge = i >= 6 && i < Wire.GREETING_BYTES;
      boolean flags = i == 5;
      int matters = challenge ? 0 : flags ? Wire.FLAG_SECRET | Wire.FLAG_FULL : 0xff;
      if ((changes[i] & matters) != 0) {
        return false;
      }
    }
    return true;
  }

  @Override
  public void close() throws IOException {
    listener.close();
  }
}
