package org.apache.spark.shuffle.rdma.fabric.verbs;

import java.io.OutputStream;
import java.lang.foreign.Arena;
import java.util.HexFormat;
import org.apache.spark.shuffle.rdma.fabric.Fabric.Access;
import org.apache.spark.shuffle.rdma.fabric.Region;

/** A peer in a process of its own: registers memory, says where, and lives until stdin ends. */
final class VerbsPeer {

  private VerbsPeer() {}

  /** Takes how many bytes to register. */
  public static void main(String[] args) throws Exception {
    try (VerbsFabric fabric = Verbs.start("server")) {
      Region region =
          fabric.register(Arena.global().allocate(Long.parseLong(args[0])), Access.REMOTE_READ);
      String address = HexFormat.of().formatHex(fabric.address());
      System.out.println("PEER " + address + " " + region.address() + " " + region.key());
      System.in.transferTo(OutputStream.nullOutputStream());
    }
  }
}
