package org.apache.spark.shuffle.rdma.fabric;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.spark.shuffle.rdma.fabric.Connection.Read;
import org.apache.spark.shuffle.rdma.fabric.Fabric.Access;
import org.apache.spark.shuffle.rdma.fabric.FabricException.Kind;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;

/** What tests of fabrics need; closes what they opened. Waits end after a generous limit. */
public abstract class FabricHarness {

  /** No measure of speed: only a hang takes this long. */
  protected static final long LIMIT_SECONDS = 120;

  /** Kept alive by the garbage collector's rules, so that a leak elsewhere can't become a crash. */
  protected final Arena arena = Arena.ofShared();

  private final List<Fabric> fabrics = new ArrayList<>();

  /** Starts a fabric of the kind under test. */
  protected abstract Fabric newFabric(String owner) throws FabricException;

  protected Fabric start(String owner) throws FabricException {
    Fabric fabric = newFabric(owner);
    fabrics.add(fabric);
    return fabric;
  }

  @AfterEach
  void closeAll() {
    fabrics.forEach(Fabric::close);
    arena.close();
  }

  protected static Connection connect(Fabric from, byte[] address) throws Exception {
    return from.connect(address).get(LIMIT_SECONDS, TimeUnit.SECONDS);
  }

  protected static Kind connectFailure(Fabric from, byte[] address) throws Exception {
    try {
      from.connect(address).get(LIMIT_SECONDS, TimeUnit.SECONDS).close();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof FabricException known) {
        System.out.println("no connection: " + known);
        return known.kind();
      }
      throw e;
    }
    throw new AssertionError("the connect succeeded");
  }

  protected Region remote(Fabric fabric, long bytes) throws FabricException {
    return fabric.register(arena.allocate(bytes), Access.REMOTE_READ);
  }

  protected Region local(Fabric fabric, long bytes) throws FabricException {
    return fabric.register(arena.allocate(bytes), Access.LOCAL_WRITE);
  }

  /** A read of the same offset and length on both sides. */
  protected static Read read(Region from, Region to, long offset, long bytes) {
    return new Read(from.address() + offset, from.key(), to, offset, bytes);
  }

  protected static @Nullable FabricException await(Connection connection, List<Read> reads)
      throws InterruptedException, ExecutionException, TimeoutException {
    return new Outcome().post(connection, reads).await();
  }

  protected static void succeed(Connection connection, List<Read> reads) throws Exception {
    FabricException failure = await(connection, reads);
    if (failure != null) {
      throw failure;
    }
  }

  protected static Kind failure(Connection connection, List<Read> reads) throws Exception {
    FabricException failure = await(connection, reads);
    assertNotNull(failure, "the list succeeded");
    return failure.kind();
  }

  protected static void fill(MemorySegment memory, long seed) {
    Random random = new Random(seed);
    byte[] pattern = new byte[1 << 20];
    random.nextBytes(pattern);
    for (long at = 0; at < memory.byteSize(); at += pattern.length - 1) {
      // An odd period, so that no two places of a power of two apart hold the same.
      long bytes = Math.min(pattern.length - 1, memory.byteSize() - at);
      MemorySegment.copy(MemorySegment.ofArray(pattern), 0, memory, at, bytes);
    }
  }

  protected static void assertSame(MemorySegment expected, MemorySegment actual) {
    assertEquals(-1, expected.mismatch(actual), "the first byte that differs");
  }

  /** Runs it on so many threads at once; the first failure fails. */
  protected static void concurrently(int threads, IndexedTask task) throws Exception {
    try (var pool = Executors.newFixedThreadPool(threads)) {
      var futures = new ArrayList<Future<@Nullable Object>>();
      for (int i = 0; i < threads; i++) {
        int index = i;
        futures.add(
            pool.submit(
                () -> {
                  task.run(index);
                  return null;
                }));
      }
      for (var future : futures) {
        future.get(LIMIT_SECONDS, TimeUnit.SECONDS);
      }
    }
  }

  /** A task that knows which of several it is. */
  @FunctionalInterface
  protected interface IndexedTask {
    void run(int index) throws Exception;
  }
}
