package org.apache.spark.shuffle.rdma.fabric;

import java.lang.foreign.MemorySegment;
import java.util.List;
import org.apache.spark.shuffle.rdma.fabric.Fabric.Access;
import org.junit.jupiter.api.Test;

/** A single read past the numbers of 31 and 32 bits. Needs a mapping for each few pages. */
public abstract class FabricLargeContract extends FabricHarness {

  @Test
  void readsMoreThanTwoGibibytesInOneEntry() throws Exception {
    long bytes = (2L << 30) + 12_345;
    // Few pages, mapped again and again with different periods on both sides.
    MemorySegment source = RepeatedMemory.map(bytes, 1039, arena);
    MemorySegment target = RepeatedMemory.map(bytes, 509, arena);
    fill(source.asSlice(0, RepeatedMemory.PAGE * 1039), 4);
    Fabric server = start("server");
    Fabric client = start("client");
    Region from = server.register(source, Access.REMOTE_READ);
    Region to = client.register(target, Access.LOCAL_WRITE);
    succeed(connect(client, server.address()), List.of(read(from, to, 0, bytes)));
    long last = bytes - RepeatedMemory.PAGE * 509 + 1;
    assertSame(source.asSlice(last), target.asSlice(last));
  }
}
