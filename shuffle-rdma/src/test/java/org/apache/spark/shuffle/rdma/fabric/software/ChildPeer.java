package org.apache.spark.shuffle.rdma.fabric.software;

import java.io.OutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HexFormat;
import org.apache.spark.shuffle.rdma.fabric.Fabric.Access;
import org.apache.spark.shuffle.rdma.fabric.Region;

/** A peer in a process of its own: registers memory, says where, and lives until stdin ends. */
final class ChildPeer {

  private ChildPeer() {}

  /** Takes the bytes to register. Byte i of them is {@code (byte) (i * 31 + 7)}. */
  public static void main(String[] args) throws Exception {
    long bytes = Long.parseLong(args[0]);
    try (SoftwareFabric fabric = SoftwareFabric.start(Options.of("child", true))) {
      MemorySegment memory = Arena.global().allocate(bytes);
      for (long i = 0; i < bytes; i++) {
        memory.set(ValueLayout.JAVA_BYTE, i, at(i));
      }
      Region region = fabric.register(memory, Access.REMOTE_READ);
      String address = HexFormat.of().formatHex(fabric.address());
      System.out.println("PEER " + address + " " + region.address() + " " + region.key());
      System.in.transferTo(OutputStream.nullOutputStream());
    }
  }

  static byte at(long index) {
    return (byte) (index * 31 + 7);
  }
}
