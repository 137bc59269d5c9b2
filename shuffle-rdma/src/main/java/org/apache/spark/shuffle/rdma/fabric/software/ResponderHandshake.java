package org.apache.spark.shuffle.rdma.fabric.software;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.apache.spark.shuffle.rdma.fabric.Nonce;
import org.apache.spark.shuffle.rdma.fabric.Proof;
import org.jspecify.annotations.Nullable;

/** The accepting side of {@link Wire}'s greeting, hello and welcome. */
final class ResponderHandshake {

  private final Nonce start;
  private final String owner;
  private final byte @Nullable [] secret;

  ResponderHandshake(Nonce start, String owner, byte @Nullable [] secret) {
    this.start = start;
    this.owner = owner;
    this.secret = secret;
  }

  /** The greeting of a responder that takes nobody more. */
  static ByteBuffer full() {
    ByteBuffer greeting = ByteBuffer.allocate(Wire.GREETING_BYTES);
    greeting.putInt(Wire.MAGIC).put(Wire.VERSION).put(Wire.FLAG_FULL);
    Nonce.ZERO.put(greeting);
    return greeting.flip();
  }

  /**
   * Greets, and lets the reader in or not.
   *
   * @return the reader's owner
   * @throws IOException if it isn't let in; it has been told why as far as it speaks the protocol
   */
  String run(SocketInput in, SocketOutput out) throws IOException {
    byte flags = secret == null ? 0 : Wire.FLAG_SECRET;
    Nonce challenge = Nonce.random();
    ByteBuffer greeting = out.room(Wire.GREETING_BYTES);
    greeting.putInt(Wire.MAGIC).put(Wire.VERSION).put(flags);
    challenge.put(greeting);
    out.flush();

    ByteBuffer hello = in.need(Wire.HELLO_BYTES);
    if (hello.getInt() != Wire.MAGIC || hello.get() != Wire.VERSION) {
      throw new IOException("a hello of another protocol");
    }
    byte readerFlags = hello.get();
    Nonce named = Nonce.get(hello);
    Nonce reader = Nonce.get(hello);
    byte[] proven = new byte[Proof.BYTES];
    hello.get(proven);
    int ownerBytes = Byte.toUnsignedInt(hello.get());
    if (ownerBytes < 1 || ownerBytes > SoftwareOptions.MAX_OWNER_BYTES) {
      throw new IOException("a hello with an owner of " + ownerBytes + " bytes");
    }
    byte[] name = new byte[ownerBytes];
    in.need(ownerBytes).get(name);
    String readerOwner = new String(name, StandardCharsets.UTF_8);

    Proof proof = new Proof(Wire.PROTOCOL, challenge, start, reader, readerOwner, owner);
    if (!start.sameAs(named)) {
      refuse(out, Wire.WRONG_NONCE, "for an earlier process at this port");
    }
    if (readerFlags != flags || !Proof.same(proof.ofReader(secret), proven)) {
      refuse(out, Wire.WRONG_PROOF, "without a valid proof of the secret");
    }
    welcome(out, Wire.WELCOME, proof.ofResponder(secret));
    return readerOwner;
  }

  private static void refuse(SocketOutput out, byte status, String what) throws IOException {
    welcome(out, status, new byte[Proof.BYTES]);
    throw new IOException("a hello " + what);
  }

  private static void welcome(SocketOutput out, byte status, byte[] proof) throws IOException {
    ByteBuffer welcome = out.room(Wire.WELCOME_BYTES);
    welcome.putInt(Wire.MAGIC).put(Wire.VERSION).put(status).put(proof);
    out.flush();
  }
}
