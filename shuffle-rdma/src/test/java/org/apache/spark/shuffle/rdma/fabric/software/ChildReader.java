package org.apache.spark.shuffle.rdma.fabric.software;

import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.util.HexFormat;
import java.util.List;
import org.apache.spark.shuffle.rdma.fabric.Connection;
import org.apache.spark.shuffle.rdma.fabric.Connection.Read;
import org.apache.spark.shuffle.rdma.fabric.Fabric.Access;
import org.apache.spark.shuffle.rdma.fabric.Outcome;
import org.apache.spark.shuffle.rdma.fabric.Region;

/** Reads a peer from a process of its own, with whatever rights that has. */
final class ChildReader {

  private ChildReader() {}

  /** Takes address, region address, key and bytes; connects and reads twice. */
  public static void main(String[] args) throws Exception {
    byte[] address = HexFormat.of().parseHex(args[0]);
    long bytes = Long.parseLong(args[3]);
    try (SoftwareFabric fabric = SoftwareFabric.start(Options.of("reader", true))) {
      Region to = fabric.register(Arena.global().allocate(bytes), Access.LOCAL_WRITE);
      Read read = new Read(Long.parseLong(args[1]), Long.parseLong(args[2]), to, 0, bytes);
      for (int i = 0; i < 2; i++) {
        to.memory().fill((byte) 0);
        try (Connection connection = fabric.connect(address).get()) {
          Object failure = new Outcome().post(connection, List.of(read)).await();
          byte last = to.memory().get(ValueLayout.JAVA_BYTE, bytes - 1);
          System.out.println("READ " + connection.way() + " " + failure + " " + last);
        }
      }
    }
  }
}
