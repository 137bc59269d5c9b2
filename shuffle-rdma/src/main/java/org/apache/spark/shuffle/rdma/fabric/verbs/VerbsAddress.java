package org.apache.spark.shuffle.rdma.fabric.verbs;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.apache.spark.shuffle.rdma.fabric.AddressBytes;
import org.apache.spark.shuffle.rdma.fabric.FabricException;
import org.apache.spark.shuffle.rdma.fabric.Nonce;

/**
 * What {@link VerbsFabric#address()} says, big endian:
 *
 * <pre>
 *   version 1 | port 2 | nonce 16 | host length 1 (4 or 16), host | owner length 1, owner in UTF-8
 * </pre>
 *
 * @param host the IP address of the device that the peer listens at
 * @param port rdma_cm's port, 1 to 65535
 * @param nonce random for each start: who knows it has it from Spark's RPC
 * @param owner the peer's executor id
 */
record VerbsAddress(InetAddress host, int port, Nonce nonce, String owner) {

  /** The longest owner, so that an address stays within its limit. */
  static final int MAX_OWNER_BYTES = 128;

  /** Another one than the software fabric's, whose addresses aren't to be taken for these. */
  private static final byte VERSION = 0x51;

  private static final int FIXED_BYTES = 1 + 2 + Nonce.BYTES;

  byte[] encode() {
    byte[] hostBytes = host.getAddress();
    byte[] ownerBytes = owner.getBytes(StandardCharsets.UTF_8);
    ByteBuffer out = ByteBuffer.allocate(FIXED_BYTES + 2 + hostBytes.length + ownerBytes.length);
    out.put(VERSION).putShort((short) port);
    nonce.put(out);
    AddressBytes.put(out, hostBytes);
    AddressBytes.put(out, ownerBytes);
    return out.array();
  }

  static VerbsAddress parse(byte[] encoded) throws FabricException {
    if (encoded.length < 1 || encoded[0] != VERSION) {
      throw bad("the peer uses another fabric or version", encoded);
    }
    if (encoded.length < FIXED_BYTES + 2) {
      throw bad("it is too short", encoded);
    }
    ByteBuffer in = ByteBuffer.wrap(encoded, 1, encoded.length - 1);
    int port = Short.toUnsignedInt(in.getShort());
    Nonce nonce = Nonce.get(in);
    byte[] hostBytes = AddressBytes.get(in, 16);
    String owner = AddressBytes.getText(in, MAX_OWNER_BYTES);
    if (in.hasRemaining() || port == 0 || owner.isEmpty()) {
      throw bad("a field is out of range", encoded);
    }
    try {
      InetAddress host = InetAddress.getByAddress(hostBytes);
      return new VerbsAddress(host, port, nonce, owner);
    } catch (UnknownHostException e) {
      throw bad("its host has " + hostBytes.length + " bytes", encoded);
    }
  }

  InetSocketAddress socketAddress() {
    return new InetSocketAddress(host, port);
  }

  private static FabricException bad(String why, byte[] encoded) {
    return new FabricException(
        FabricException.Kind.BAD_ADDRESS,
        "no address of the verbs fabric (" + encoded.length + " bytes): " + why);
  }

  /** For messages: who and where, without the nonce. */
  @Override
  public String toString() {
    return "executor " + owner + " at " + host.getHostAddress() + ":" + port;
  }
}
