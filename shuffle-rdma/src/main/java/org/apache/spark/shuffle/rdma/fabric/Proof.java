package org.apache.spark.shuffle.rdma.fabric;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * What both sides of a handshake have in common, from which each proves that it has the secret:
 * HMAC-SHA256 over a label of its role, all nonces and both owners. The labels differ, so a proof
 * sent back to its maker proves nothing.
 *
 * @param protocol whose handshake it is, so that a proof of one says nothing in another
 * @param challenge the responder's, new for each connection; {@link Nonce#ZERO} where the reader
 *     speaks first
 * @param start the responder's nonce of its start, from its address
 * @param reader the reader's nonce, new for each connection
 * @param readerOwner the reader's executor id
 * @param responderOwner the responder's executor id
 */
public record Proof(
    String protocol,
    Nonce challenge,
    Nonce start,
    Nonce reader,
    String readerOwner,
    String responderOwner) {

  /** Of a proof. */
  public static final int BYTES = 32;

  /** Zero without a secret. */
  public byte[] ofReader(byte @Nullable [] secret) {
    return of(secret, "reader");
  }

  /** Zero without a secret. */
  public byte[] ofResponder(byte @Nullable [] secret) {
    return of(secret, "responder");
  }

  private byte[] of(byte @Nullable [] secret, String role) {
    if (secret == null) {
      return new byte[BYTES];
    }
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(secret, "HmacSHA256"));
      text(mac, "spark-rdma-shuffle " + protocol + " " + role);
      ByteBuffer nonces = ByteBuffer.allocate(3 * Nonce.BYTES);
      challenge.put(nonces);
      start.put(nonces);
      reader.put(nonces);
      mac.update(nonces.flip());
      text(mac, readerOwner);
      text(mac, responderOwner);
      return mac.doFinal();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java has HmacSHA256", e);
    }
  }

  /** With its length before it, so that no two sequences of texts are the same bytes. */
  private static void text(Mac mac, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    mac.update(ByteBuffer.allocate(4).putInt(bytes.length).flip());
    mac.update(bytes);
  }

  /** Takes the same time wherever the first difference is. */
  public static boolean same(byte[] expected, byte[] actual) {
    return MessageDigest.isEqual(expected, actual);
  }
}
