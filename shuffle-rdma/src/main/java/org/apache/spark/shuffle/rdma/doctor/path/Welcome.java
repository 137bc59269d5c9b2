package org.apache.spark.shuffle.rdma.doctor.path;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.apache.spark.shuffle.rdma.fabric.AddressBytes;
import org.apache.spark.shuffle.rdma.fabric.Fabric;

/**
 * What a server tells those who may read its memory.
 *
 * @param fabric its fabric's name
 * @param host where its fabric listens, so that TCP can be tried on the same path
 * @param address its fabric's
 * @param target its memory
 */
record Welcome(String fabric, InetAddress host, byte[] address, Target target) {

  /** No server sends more. */
  static final int MAX_BYTES = Fabric.MAX_ADDRESS_BYTES + 256;

  private static final int MAX_NAME_BYTES = 16;
  private static final int MAX_HOST_BYTES = 16;

  byte[] encode() {
    ByteBuffer out = ByteBuffer.allocate(MAX_BYTES);
    AddressBytes.put(out, fabric.getBytes(StandardCharsets.UTF_8));
    AddressBytes.put(out, host.getAddress());
    target.put(out);
    out.put(address);
    byte[] bytes = new byte[out.flip().remaining()];
    out.get(bytes);
    return bytes;
  }

  /**
   * Reads what {@link #encode} wrote.
   *
   * @throws IOException if it's malformed
   */
  static Welcome parse(ByteBuffer in) throws IOException {
    try {
      String fabric = AddressBytes.getText(in, MAX_NAME_BYTES);
      InetAddress host = InetAddress.getByAddress(AddressBytes.get(in, MAX_HOST_BYTES));
      Target target = Target.get(in);
      byte[] address = new byte[in.remaining()];
      in.get(address);
      if (target.bytes() < Long.BYTES || target.bytes() % Long.BYTES != 0) {
        throw new IOException("the server's memory can't be of " + target.bytes() + " bytes");
      }
      return new Welcome(fabric, host, address, target);
    } catch (BufferUnderflowException e) {
      throw new IOException("the server's greeting is malformed", e);
    }
  }
}
