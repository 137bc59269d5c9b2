package org.apache.spark.shuffle.rdma.doctor.path;

import java.io.IOException;
import org.apache.spark.shuffle.rdma.fabric.Connection;
import org.apache.spark.shuffle.rdma.fabric.Fabric;

/** A fabric that reads memory of its own process. */
public final class SelfRead {

  private static final int BYTES = 64 << 10;
  private static final long SEED = 7;

  private SelfRead() {}

  /**
   * Connects, reads and compares.
   *
   * @return how the bytes went
   * @throws IOException if that fails, or the bytes are wrong
   */
  public static Connection.Way check(Fabric fabric) throws IOException {
    try (PatternedMemory from = new PatternedMemory(fabric, BYTES, Fabric.Access.REMOTE_READ);
        PatternedMemory into = new PatternedMemory(fabric, BYTES, Fabric.Access.LOCAL_WRITE)) {
      from.fill(SEED);
      Target target = new Target(from.region().address(), from.region().key(), BYTES, SEED);
      try (Reader reader = Reader.connect(fabric, fabric.address(), target, into)) {
        reader.read(0, BYTES, 1);
        if (into.countWrong(SEED, 0, BYTES) > 0) {
          throw new IOException("the bytes that were read aren't those that were there");
        }
        return reader.way();
      }
    }
  }
}
