package org.apache.spark.shuffle.rdma.fabric.verbs;

import java.lang.foreign.Arena;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.spark.shuffle.rdma.fabric.Connection;
import org.apache.spark.shuffle.rdma.fabric.Connection.Read;
import org.apache.spark.shuffle.rdma.fabric.Fabric.Access;
import org.apache.spark.shuffle.rdma.fabric.FabricException;
import org.apache.spark.shuffle.rdma.fabric.Outcome;
import org.apache.spark.shuffle.rdma.fabric.Region;
import org.jspecify.annotations.Nullable;

/**
 * Reads itself over and over through the device of RDMA_TEST_ADDRESS, connects anew when that
 * fails, and prints each change of how it goes: {@code READS ok}, or the kind of the failure. A
 * line on stdin ends it.
 */
final class VerbsLoop {

  private static final int BYTES = 1 << 20;

  private VerbsLoop() {}

  public static void main(String[] args) throws Exception {
    // One fabric alone: two in a process would share the device's events.
    try (VerbsFabric fabric = VerbsFabric.start(Verbs.hasty(Verbs.options("server", null)))) {
      Arena arena = Arena.global();
      Region from = fabric.register(arena.allocate(BYTES), Access.REMOTE_READ);
      Region to = fabric.register(arena.allocate(BYTES), Access.LOCAL_WRITE);
      List<Read> reads = List.of(new Read(from.address(), from.key(), to, 0, BYTES));
      String said = "";
      Connection connection = null;
      while (System.in.available() == 0) {
        String now;
        try {
          if (connection == null || !connection.isOpen()) {
            connection = fabric.connect(fabric.address()).get(60, TimeUnit.SECONDS);
          }
          @Nullable FabricException failure = new Outcome().post(connection, reads).await();
          now = failure == null ? "ok" : say(failure);
        } catch (ExecutionException e) {
          now = e.getCause() instanceof FabricException known ? say(known) : e.toString();
          Thread.sleep(50);
        }
        if (!now.equals(said)) {
          System.out.println("READS " + now);
          said = now;
        }
      }
    }
    System.out.println("CLOSED -");
  }

  private static String say(FabricException failure) {
    return failure.kind() + " " + failure.getMessage();
  }
}
