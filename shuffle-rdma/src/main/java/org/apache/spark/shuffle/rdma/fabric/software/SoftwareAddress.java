package org.apache.spark.shuffle.rdma.fabric.software;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.apache.spark.shuffle.rdma.fabric.AddressBytes;
import org.apache.spark.shuffle.rdma.fabric.FabricException;
import org.apache.spark.shuffle.rdma.fabric.Nonce;

/**
 * What {@link SoftwareFabric#address()} says, big endian:
 *
 * <pre>
 *   version 1 | port 2 | pid 4 | nonce 16 | address of the nonce 8 | boot id 16
 *   | host length 1 (4 or 16), host | owner length 1, owner in UTF-8
 * </pre>
 *
 * @param host the IP address that the peer listens at: no name, so nothing to resolve
 * @param port 1 to 65535
 * @param pid the peer's process id as itself sees it
 * @param nonce random for each start: shows that a process is still the one that gave the address
 * @param nonceAddress the virtual address in that process where the nonce can be read
 * @param boot the host's boot id, so that no unrelated process of another host's pid is probed
 * @param owner the peer's executor id
 */
record SoftwareAddress(
    InetAddress host, int port, int pid, Nonce nonce, long nonceAddress, Nonce boot, String owner) {

  private static final byte VERSION = 1;
  private static final int FIXED_BYTES = 1 + 2 + 4 + Nonce.BYTES + 8 + Nonce.BYTES;

  byte[] encode() {
    byte[] hostBytes = host.getAddress();
    byte[] ownerBytes = owner.getBytes(StandardCharsets.UTF_8);
    ByteBuffer out = ByteBuffer.allocate(FIXED_BYTES + 2 + hostBytes.length + ownerBytes.length);
    out.put(VERSION).putShort((short) port).putInt(pid);
    nonce.put(out);
    out.putLong(nonceAddress);
    boot.put(out);
    AddressBytes.put(out, hostBytes);
    AddressBytes.put(out, ownerBytes);
    return out.array();
  }

  static SoftwareAddress parse(byte[] encoded) throws FabricException {
    if (encoded.length < 1 || encoded[0] != VERSION) {
      throw bad("it doesn't start with version " + VERSION, encoded);
    }
    if (encoded.length < FIXED_BYTES + 2) {
      throw bad("it is too short", encoded);
    }
    ByteBuffer in = ByteBuffer.wrap(encoded, 1, encoded.length - 1);
    int port = Short.toUnsignedInt(in.getShort());
    int pid = in.getInt();
    Nonce nonce = Nonce.get(in);
    long nonceAddress = in.getLong();
    Nonce boot = Nonce.get(in);
    byte[] hostBytes = AddressBytes.get(in, 16);
    String owner = AddressBytes.getText(in, SoftwareOptions.MAX_OWNER_BYTES);
    if (in.hasRemaining() || port == 0 || pid <= 0 || owner.isEmpty()) {
      throw bad("a field is out of range", encoded);
    }
    try {
      InetAddress host = InetAddress.getByAddress(hostBytes);
      return new SoftwareAddress(host, port, pid, nonce, nonceAddress, boot, owner);
    } catch (UnknownHostException e) {
      throw bad("its host has " + hostBytes.length + " bytes", encoded);
    }
  }

  private static FabricException bad(String why, byte[] encoded) {
    return new FabricException(
        FabricException.Kind.BAD_ADDRESS,
        "no address of the software fabric (" + encoded.length + " bytes): " + why);
  }

  /** For messages: who and where, without the nonce. */
  @Override
  public String toString() {
    return "executor " + owner + " at " + host.getHostAddress() + ":" + port + ", pid " + pid;
  }
}
