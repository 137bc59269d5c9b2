package org.apache.spark.shuffle.rdma.fabric.software;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.apache.spark.shuffle.rdma.fabric.FabricException;
import org.apache.spark.shuffle.rdma.fabric.FabricException.Kind;
import org.apache.spark.shuffle.rdma.fabric.Nonce;
import org.apache.spark.shuffle.rdma.fabric.Proof;
import org.jspecify.annotations.Nullable;

/** The connecting side of {@link Wire}'s greeting, hello and welcome. */
final class ReaderHandshake {

  private final SoftwareAddress peer;
  private final String owner;
  private final byte @Nullable [] secret;

  ReaderHandshake(SoftwareAddress peer, String owner, byte @Nullable [] secret) {
    this.peer = peer;
    this.owner = owner;
    this.secret = secret;
  }

  /** Returns when the peer is proven to be the one of the address. */
  void run(SocketInput in, SocketOutput out) throws IOException {
    ByteBuffer greeting = in.need(Wire.GREETING_BYTES);
    checkMagic(greeting);
    byte flags = greeting.get();
    Nonce challenge = Nonce.get(greeting);
    if ((flags & Wire.FLAG_FULL) != 0) {
      throw new FabricException(Kind.CONNECT_REFUSED, peer + " has too many connections");
    }
    if (((flags & Wire.FLAG_SECRET) != 0) != (secret != null)) {
      throw new FabricException(
          Kind.AUTHENTICATION_FAILED,
          (secret == null ? "only " + peer : "only this side, not " + peer + ",")
              + " has spark.authenticate on");
    }
    Proof proof =
        new Proof(Wire.PROTOCOL, challenge, peer.nonce(), Nonce.random(), owner, peer.owner());
    sendHello(out, proof);
    ByteBuffer welcome = in.need(Wire.WELCOME_BYTES);
    checkMagic(welcome);
    byte status = welcome.get();
    byte[] answer = new byte[Proof.BYTES];
    welcome.get(answer);
    checkStatus(status);
    if (!Proof.same(proof.ofResponder(secret), answer)) {
      throw new FabricException(
          Kind.AUTHENTICATION_FAILED, peer + " couldn't prove the application's secret");
    }
  }

  private void sendHello(SocketOutput out, Proof proof) throws IOException {
    byte[] ownerBytes = owner.getBytes(StandardCharsets.UTF_8);
    ByteBuffer hello = out.room(Wire.HELLO_BYTES + ownerBytes.length);
    hello.putInt(Wire.MAGIC).put(Wire.VERSION).put(secret == null ? 0 : Wire.FLAG_SECRET);
    proof.start().put(hello);
    proof.reader().put(hello);
    hello.put(proof.ofReader(secret)).put((byte) ownerBytes.length).put(ownerBytes);
    out.flush();
  }

  private void checkMagic(ByteBuffer in) throws FabricException {
    if (in.getInt() != Wire.MAGIC || in.get() != Wire.VERSION) {
      throw new FabricException(
          Kind.CONNECT_REFUSED, "who listens there doesn't speak this protocol: " + peer);
    }
  }

  private void checkStatus(byte status) throws FabricException {
    switch (status) {
      case Wire.WELCOME -> {}
      case Wire.WRONG_NONCE ->
          throw new FabricException(
              Kind.CONNECT_REFUSED, "another process listens there by now: " + peer);
      case Wire.WRONG_PROOF ->
          throw new FabricException(
              Kind.AUTHENTICATION_FAILED, peer + " doesn't accept this side's proof of the secret");
      default ->
          throw new FabricException(Kind.CONNECT_REFUSED, peer + " refused: status " + status);
    }
  }
}
