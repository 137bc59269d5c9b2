package org.apache.spark.shuffle.rdma.fabric.verbs;

import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.apache.spark.shuffle.rdma.fabric.FabricException;
import org.apache.spark.shuffle.rdma.fabric.FabricException.Kind;
import org.apache.spark.shuffle.rdma.fabric.Nonce;
import org.apache.spark.shuffle.rdma.fabric.Proof;
import org.apache.spark.shuffle.rdma.fabric.verbs.Credentials.RefusedException;

/**
 * A fuzz target: a connect's private data lets in who made it with the secret, once, and nobody
 * else. Input: what it is for 1 byte, whether it changes something valid or stands for itself 1
 * byte, then the changes or the bytes themselves.
 */
public final class PrivateDataFuzz {

  private static final byte[] SECRET = "a secret".getBytes(StandardCharsets.UTF_8);
  private static final Nonce START = Nonce.random();
  private static final VerbsAddress ADDRESS =
      new VerbsAddress(InetAddress.ofLiteral("10.0.0.1"), 4000, START, "server");
  private static final Credentials RESPONDER = new Credentials(START, "server", SECRET);
  private static final Credentials READER = new Credentials(Nonce.random(), "7", SECRET);

  /** Unused, so not proven: a request may have anything there. */
  private static final int RESERVED_BYTE = 1;

  private PrivateDataFuzz() {}

  public static void fuzzerTestOneInput(byte[] input) {
    if (input.length < 2) {
      return;
    }
    byte[] bytes = Arrays.copyOfRange(input, 2, input.length);
    boolean changes = input[1] != 0;
    switch (Math.floorMod(input[0], 4)) {
      case 0 -> request(bytes, changes);
      case 1 -> answer(bytes, changes);
      case 2 -> rejection(bytes);
      default -> address(changes ? changed(ADDRESS.encode(), bytes) : bytes);
    }
  }

  /** The valid bytes with the others' bits flipped; longer ones come after it as they are. */
  private static byte[] changed(byte[] valid, byte[] flips) {
    byte[] changed = Arrays.copyOf(valid, Math.max(valid.length, flips.length));
    for (int i = 0; i < flips.length; i++) {
      changed[i] ^= flips[i];
    }
    return changed;
  }

  private static void request(byte[] bytes, boolean changes) {
    if (!changes) {
      expect(false, isLetIn(bytes), "a request that no reader made");
      return;
    }
    byte[] valid = READER.connectTo(ADDRESS).privateData();
    byte[] request = changed(valid, bytes);
    byte[] proven = Arrays.copyOf(request, valid.length);
    proven[RESERVED_BYTE] = valid[RESERVED_BYTE];
    boolean good = Arrays.equals(proven, valid);
    expect(good, isLetIn(request), "a request");
    // The fuzzer learns what is compared here, and plays it later: so it's used up now.
    expect(!good, isLetIn(valid), "the reader's own request, after another's was " + good);
    expect(false, isLetIn(request), "a request for the second time");
  }

  private static boolean isLetIn(byte[] request) {
    try {
      return RESPONDER.answer(request).length == 1 + Proof.BYTES;
    } catch (RefusedException e) {
      return false;
    }
  }

  private static void answer(byte[] bytes, boolean changes) {
    Credentials.Connect connect = READER.connectTo(ADDRESS);
    byte[] valid;
    try {
      valid = RESPONDER.answer(connect.privateData());
    } catch (RefusedException e) {
      throw new AssertionError("a valid request is refused", e);
    }
    byte[] answer = changes ? changed(valid, bytes) : bytes;
    boolean good =
        answer.length >= valid.length && Arrays.equals(Arrays.copyOf(answer, valid.length), valid);
    boolean believed;
    try {
      connect.check(answer);
      believed = true;
    } catch (FabricException e) {
      believed = false;
      expect(true, e.kind() == Kind.AUTHENTICATION_FAILED, "the reason " + e.kind());
    }
    expect(good, believed, "an answer");
  }

  private static void rejection(byte[] bytes) {
    Kind kind = READER.connectTo(ADDRESS).refused(bytes).kind();
    expect(
        true, kind == Kind.CONNECT_REFUSED || kind == Kind.AUTHENTICATION_FAILED, "kind " + kind);
  }

  private static void address(byte[] bytes) {
    try {
      VerbsAddress parsed = VerbsAddress.parse(bytes);
      expect(true, Arrays.equals(bytes, parsed.encode()), "the address " + parsed);
    } catch (FabricException e) {
      expect(true, e.kind() == Kind.BAD_ADDRESS, "the reason " + e.kind());
    }
  }

  private static void expect(boolean expected, boolean actual, String what) {
    if (expected != actual) {
      throw new AssertionError(what + ": expected " + expected + ", but was " + actual);
    }
  }
}
