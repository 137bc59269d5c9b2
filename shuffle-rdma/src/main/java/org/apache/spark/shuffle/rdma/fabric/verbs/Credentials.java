package org.apache.spark.shuffle.rdma.fabric.verbs;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.spark.shuffle.rdma.fabric.FabricException;
import org.apache.spark.shuffle.rdma.fabric.FabricException.Kind;
import org.apache.spark.shuffle.rdma.fabric.Nonce;
import org.apache.spark.shuffle.rdma.fabric.Proof;
import org.jspecify.annotations.Nullable;

/**
 * What two fabrics tell each other in the private data of a connection, big endian:
 *
 * <pre>
 *   connect:  version 1 | reserved 1 | reader's tag 6 | reader's nonce 16 | reader's proof 32
 *   accept:   version 1 | responder's proof 32
 *   reject:   version 1 | why 1
 * </pre>
 *
 * <p>Private data has 56 bytes in a connect request, so a reader's name is there as a tag: its
 * executor id where that has 6 bytes or fewer, else the end of it. Proofs are made with the
 * application's secret; without one, with the nonce of the responder's start, which travels by
 * Spark's RPC alone. So a peer that was restarted at the same port refuses what isn't for it.
 *
 * <p>A reader's nonce is random for each of its starts, and counts its connects: by that, a
 * responder takes each connect once and has little to remember ({@link TakenConnects}).
 */
final class Credentials {

  static final int CONNECT_BYTES = 1 + 1 + Credentials.TAG_BYTES + Nonce.BYTES + Proof.BYTES;

  private static final int TAG_BYTES = 6;
  private static final byte VERSION = 1;
  private static final String PROTOCOL = "verbs fabric 1";

  /** Why a responder says no. */
  enum Refusal {
    OTHER_VERSION,
    WRONG_PROOF,
    TOO_MANY_CONNECTIONS,
    NO_RESOURCES,
    TOO_MANY_READERS;

    byte[] encode() {
      return new byte[] {VERSION, (byte) ordinal()};
    }
  }

  private final Nonce start;
  private final String owner;
  private final byte @Nullable [] secret;
  private final long readerStart = Nonce.random().high();
  private final AtomicLong connects = new AtomicLong();
  private final TakenConnects taken = new TakenConnects();

  Credentials(Nonce start, String owner, byte @Nullable [] secret) {
    this.start = start;
    this.owner = owner;
    this.secret = secret == null ? null : secret.clone();
  }

  /** What a reader tells a peer; one for each connect. */
  Connect connectTo(VerbsAddress peer) {
    return new Connect(peer);
  }

  /** A reader's side of one connect. */
  final class Connect {
    private final VerbsAddress peer;
    private final Proof proof;

    private Connect(VerbsAddress peer) {
      this.peer = peer;
      Nonce reader = new Nonce(readerStart, connects.incrementAndGet());
      this.proof = new Proof(PROTOCOL, Nonce.ZERO, peer.nonce(), reader, tag(owner), peer.owner());
    }

    byte[] privateData() {
      ByteBuffer out = ByteBuffer.allocate(CONNECT_BYTES);
      out.put(VERSION).put((byte) 0).put(tagBytes(owner));
      proof.reader().put(out);
      return out.put(proof.ofReader(key(peer.nonce()))).array();
    }

    /**
     * Checks what the peer answered.
     *
     * @param accepted may be padded
     */
    void check(byte[] accepted) throws FabricException {
      if (accepted.length < 1 + Proof.BYTES
          || accepted[0] != VERSION
          || !Proof.same(
              proof.ofResponder(key(peer.nonce())),
              Arrays.copyOfRange(accepted, 1, 1 + Proof.BYTES))) {
        throw new FabricException(
            Kind.AUTHENTICATION_FAILED, peer + " couldn't prove that it is who it should be");
      }
    }

    /**
     * The failure that a rejection means.
     *
     * @param rejected the peer's private data; may be padded, and empty if nobody listens there
     */
    FabricException refused(byte[] rejected) {
      if (rejected.length < 2 || rejected[0] != VERSION) {
        return new FabricException(Kind.CONNECT_REFUSED, "nobody listens any more: " + peer);
      }
      Refusal[] all = Refusal.values();
      Refusal why = rejected[1] >= 0 && rejected[1] < all.length ? all[rejected[1]] : null;
      if (why == Refusal.WRONG_PROOF) {
        return new FabricException(
            Kind.AUTHENTICATION_FAILED,
            peer
                + " doesn't accept this side's proof: another application's secret, or it was"
                + " restarted");
      }
      return new FabricException(Kind.CONNECT_REFUSED, peer + " refused: " + why);
    }
  }

  /**
   * Checks a connect request.
   *
   * @param request as it arrived, padded or not
   * @return what to answer: private data of an accept
   * @throws RefusedException with what to answer in a rejection
   */
  byte[] answer(byte[] request) throws RefusedException {
    if (request.length < CONNECT_BYTES || request[0] != VERSION) {
      throw new RefusedException(Refusal.OTHER_VERSION, "an unknown program");
    }
    ByteBuffer in = ByteBuffer.wrap(request);
    in.position(2);
    byte[] tag = new byte[TAG_BYTES];
    in.get(tag);
    Nonce reader = Nonce.get(in);
    byte[] proven = new byte[Proof.BYTES];
    in.get(proven);
    String name = new String(tag, StandardCharsets.ISO_8859_1);
    Proof proof = new Proof(PROTOCOL, Nonce.ZERO, start, reader, name, owner);
    if (!Proof.same(proof.ofReader(key(start)), proven)) {
      throw new RefusedException(Refusal.WRONG_PROOF, "executor " + name.strip());
    }
    switch (taken.take(reader.high(), reader.low())) {
      case TAKE -> {}
      case TAKEN_BEFORE ->
          throw new RefusedException(Refusal.WRONG_PROOF, "a connect that was taken before");
      case TOO_MANY_READERS ->
          throw new RefusedException(Refusal.TOO_MANY_READERS, "executor " + name.strip());
    }
    return ByteBuffer.allocate(1 + Proof.BYTES)
        .put(VERSION)
        .put(proof.ofResponder(key(start)))
        .array();
  }

  private byte[] key(Nonce responderStart) {
    if (secret != null) {
      return secret;
    }
    ByteBuffer bytes = ByteBuffer.allocate(Nonce.BYTES);
    responderStart.put(bytes);
    return bytes.array();
  }

  private static byte[] tagBytes(String owner) {
    byte[] id = owner.getBytes(StandardCharsets.UTF_8);
    return Arrays.copyOf(
        id.length <= TAG_BYTES ? id : Arrays.copyOfRange(id, id.length - TAG_BYTES, id.length),
        TAG_BYTES);
  }

  /** The tag's bytes as text, the same on both sides whatever they are. */
  private static String tag(String owner) {
    return new String(tagBytes(owner), StandardCharsets.ISO_8859_1);
  }

  /** A connect request that isn't let in. */
  static final class RefusedException extends Exception {
    private static final long serialVersionUID = 1L;

    private final Refusal refusal;

    RefusedException(Refusal refusal, String who) {
      super(who + " isn't let in: " + refusal);
      this.refusal = refusal;
    }

    byte[] privateData() {
      return refusal.encode();
    }
  }
}
