package org.apache.spark.shuffle.rdma.fabric.software;

import java.io.ByteArrayOutputStream;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.apache.spark.shuffle.rdma.fabric.Nonce;
import org.apache.spark.shuffle.rdma.fabric.Proof;
import org.apache.spark.shuffle.rdma.fabric.Region;

/**
 * What a responder must say to a stream of bytes, written from {@link Wire}'s description and not
 * from the responder's code.
 */
record ResponderModel(SoftwareAddress address, byte[] secret, Region region, byte[] content) {

  /** Everything that follows the greeting with this challenge, until the responder's end of it. */
  byte[] answers(Nonce challenge, byte[] stream) {
    ByteArrayOutputStream said = new ByteArrayOutputStream();
    ByteBuffer in = ByteBuffer.wrap(stream);
    try {
      if (welcome(challenge, in, said)) {
        while (in.hasRemaining()) {
          if (!answer(in, said)) {
            break;
          }
        }
      }
    } catch (BufferUnderflowException e) {
      // The stream ended in the middle of a frame, to which nothing is said.
      return said.toByteArray();
    }
    return said.toByteArray();
  }

  private boolean welcome(Nonce challenge, ByteBuffer in, ByteArrayOutputStream said) {
    byte[] fixed = new byte[Wire.HELLO_BYTES];
    in.get(fixed);
    ByteBuffer hello = ByteBuffer.wrap(fixed);
    boolean understood = hello.getInt() == Wire.MAGIC && hello.get() == Wire.VERSION;
    byte flags = hello.get();
    Nonce start = Nonce.get(hello);
    Nonce reader = Nonce.get(hello);
    byte[] proven = new byte[Proof.BYTES];
    hello.get(proven);
    int ownerBytes = hello.get() & 0xff;
    if (!understood || ownerBytes == 0 || ownerBytes > SoftwareOptions.MAX_OWNER_BYTES) {
      return false;
    }
    byte[] owner = new byte[ownerBytes];
    in.get(owner);
    String name = new String(owner, StandardCharsets.UTF_8);
    Proof proof =
        new Proof(Wire.PROTOCOL, challenge, address.nonce(), reader, name, address.owner());
    byte status = Wire.WELCOME;
    if (!start.equals(address.nonce())) {
      status = Wire.WRONG_NONCE;
    } else if (flags != Wire.FLAG_SECRET || !Proof.same(proof.ofReader(secret), proven)) {
      status = Wire.WRONG_PROOF;
    }
    ByteBuffer welcome = ByteBuffer.allocate(Wire.WELCOME_BYTES);
    welcome.putInt(Wire.MAGIC).put(Wire.VERSION).put(status);
    if (status == Wire.WELCOME) {
      welcome.put(proof.ofResponder(secret));
    }
    said.writeBytes(welcome.array());
    return status == Wire.WELCOME;
  }

  private boolean answer(ByteBuffer in, ByteArrayOutputStream said) {
    int magic = in.getInt();
    int count = in.getInt();
    if (magic != Wire.MAGIC || count < 1 || count > Wire.MAX_READS) {
      return false;
    }
    if (in.remaining() < count * Wire.READ_BYTES) {
      throw new BufferUnderflowException();
    }
    ByteArrayOutputStream data = new ByteArrayOutputStream();
    for (int i = 0; i < count; i++) {
      long offset = in.getLong() - region.address();
      boolean known = in.getLong() == region.key();
      long length = in.getLong();
      if (!known) {
        said.writeBytes(header(Wire.REFUSED_KEY, i, 0));
        return false;
      }
      if (length < 1 || length > content.length || offset < 0 || offset > content.length - length) {
        said.writeBytes(header(Wire.REFUSED_BOUNDS, i, 0));
        return false;
      }
      data.write(content, (int) offset, (int) length);
    }
    said.writeBytes(header(Wire.OK, -1, data.size()));
    said.writeBytes(data.toByteArray());
    return true;
  }

  static byte[] header(int status, int refused, long bytes) {
    return ByteBuffer.allocate(Wire.ANSWER_BYTES)
        .putInt(Wire.MAGIC)
        .putInt(status)
        .putInt(refused)
        .putLong(bytes)
        .array();
  }
}
