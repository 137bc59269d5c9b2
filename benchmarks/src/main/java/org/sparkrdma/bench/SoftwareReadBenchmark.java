package org.sparkrdma.bench;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.spark.shuffle.rdma.fabric.Connection;
import org.apache.spark.shuffle.rdma.fabric.Fabric;
import org.apache.spark.shuffle.rdma.fabric.Region;
import org.apache.spark.shuffle.rdma.fabric.software.SoftwareFabric;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Reads of another process's memory by the software fabric: directly (process_vm_readv) and by its
 * TCP way over loopback. One operation reads a list that adds up to 1 MiB, whatever the size of a
 * read, so that times compare across sizes, and waits for it. Each operation reads another MiB of
 * 64, more than the processor caches, and checks a word of it.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 5, time = 2)
@Fork(
    value = 2,
    jvmArgsAppend = {
      "--enable-native-access=ALL-UNNAMED",
      "--sun-misc-unsafe-memory-access=allow",
      "-Xmx512m"
    })
@State(Scope.Benchmark)
public class SoftwareReadBenchmark {

  private static final int LIST_BYTES = 1 << 20;
  private static final int LISTS = 64;
  private static final long TIMEOUT_SECONDS = 30;

  /** How bytes travel. */
  @Param({"DIRECT", "TCP"})
  public String way = "";

  /** Bytes of one read. */
  @Param({"4096", "65536", "1048576"})
  public int readBytes;

  private final List<AutoCloseable> opened = new ArrayList<>();
  private final List<List<Connection.Read>> lists = new ArrayList<>();
  private @Nullable Connection connection;
  private MemorySegment destination = MemorySegment.NULL;
  private int next;

  /** Starts the serving process and connects to it. */
  @Setup(Level.Trial)
  public void connect() throws Exception {
    boolean direct = way.equals("DIRECT");
    ServingPeer peer = open(ServingPeer.start(direct, (long) LISTS * LIST_BYTES));
    Fabric fabric = open(SoftwareFabric.start(ServingPeer.options(direct, "reader")));
    destination = Arena.ofAuto().allocate(LIST_BYTES, 4096);
    Region local = open(fabric.register(destination, Fabric.Access.LOCAL_WRITE));
    Connection opening =
        open(fabric.connect(peer.fabricAddress()).get(TIMEOUT_SECONDS, TimeUnit.SECONDS));
    if (!opening.way().name().equals(way)) {
      throw new IllegalStateException("connected by " + opening.way() + " instead of " + way);
    }
    connection = opening;
    for (int list = 0; list < LISTS; list++) {
      List<Connection.Read> reads = new ArrayList<>();
      for (int offset = 0; offset < LIST_BYTES; offset += readBytes) {
        long remote = peer.memoryAddress() + (long) list * LIST_BYTES + offset;
        reads.add(new Connection.Read(remote, peer.key(), local, offset, readBytes));
      }
      lists.add(List.copyOf(reads));
    }
  }

  private <T extends AutoCloseable> T open(T resource) {
    opened.addFirst(resource);
    return resource;
  }

  /** Reads 1 MiB and waits. */
  @Benchmark
  public long readOneMebibyte() throws Exception {
    int list = next;
    next = (next + 1) % LISTS;
    CompletableFuture<Void> done = new CompletableFuture<>();
    Objects.requireNonNull(connection)
        .read(
            lists.get(list),
            failure -> {
              if (failure == null) {
                done.complete(null);
              } else {
                done.completeExceptionally(failure);
              }
            });
    done.get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
    long last = LIST_BYTES - Long.BYTES;
    long word = destination.get(ServingPeer.WORD, last);
    if (word != (long) list * LIST_BYTES + last) {
      throw new IOException("read " + word + " at the end of list " + list);
    }
    return word;
  }

  /** Closes in the reverse order. */
  @TearDown(Level.Trial)
  public void close() throws Exception {
    for (AutoCloseable resource : opened) {
      resource.close();
    }
    opened.clear();
    lists.clear();
  }
}
