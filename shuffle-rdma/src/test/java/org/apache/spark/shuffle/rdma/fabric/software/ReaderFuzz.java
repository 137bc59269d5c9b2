package org.apache.spark.shuffle.rdma.fabric.software;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.spark.shuffle.rdma.fabric.Connection;
import org.apache.spark.shuffle.rdma.fabric.Connection.Read;
import org.apache.spark.shuffle.rdma.fabric.Fabric.Access;
import org.apache.spark.shuffle.rdma.fabric.FabricException;
import org.apache.spark.shuffle.rdma.fabric.Nonce;
import org.apache.spark.shuffle.rdma.fabric.Region;

/**
 * A fuzz target: whatever a responder says, each read list of a reader ends, succeeds only with the
 * answer that is due to it, and nothing is written outside of its destinations. Input: see {@link
 * ForgedResponder}.
 */
public final class ReaderFuzz {

  static final byte[] SECRET = "a secret".getBytes(StandardCharsets.UTF_8);

  /** Of the lists' reads. */
  static final int[][] LENGTHS = {{8, 5000, 100}, {600}};

  private static final int LIMIT_SECONDS = 60;
  private static final int GAP = 64;
  private static final byte CANARY = 0x5a;
  private static final SoftwareFabric FABRIC;
  private static final MemorySegment MEMORY = Arena.global().allocate(8192);
  private static final Region REGION;

  static {
    try {
      FABRIC =
          SoftwareFabric.start(
              new SoftwareOptions("127.0.0.1", false, false, 20_000, SECRET, "reader"));
      REGION = FABRIC.register(MEMORY, Access.LOCAL_WRITE);
    } catch (IOException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private ReaderFuzz() {}

  public static void fuzzerTestOneInput(byte[] input) throws Exception {
    parseAddress(input);
    MEMORY.fill(CANARY);
    try (ForgedResponder responder = new ForgedResponder(input)) {
      SoftwareAddress address =
          new SoftwareAddress(
              InetAddress.getLoopbackAddress(),
              responder.port(),
              1,
              new Nonce(1, 2),
              0,
              Nonce.ZERO,
              "forged");
      Connection connection;
      try {
        connection = FABRIC.connect(address.encode()).get(LIMIT_SECONDS, TimeUnit.SECONDS);
      } catch (ExecutionException e) {
        expect(e.getCause() instanceof FabricException, "failed by " + e.getCause());
        responder.played();
        expect(!responder.mustConnect(), "a good responder is refused: " + e.getCause());
        return;
      }
      try (connection) {
        check(connection, responder);
      }
    }
  }

  private static void check(Connection connection, ForgedResponder responder) throws Exception {
    List<CompletableFuture<Boolean>> results = new ArrayList<>();
    List<List<Read>> lists = lists();
    for (List<Read> reads : lists) {
      CompletableFuture<Boolean> result = new CompletableFuture<>();
      results.add(result);
      connection.read(reads, failure -> result.complete(failure == null));
    }
    List<byte[]> due = responder.dueData();
    for (int i = 0; i < lists.size(); i++) {
      boolean succeeded = results.get(i).get(LIMIT_SECONDS, TimeUnit.SECONDS);
      expect(succeeded == i < due.size(), "list " + i + ": " + succeeded);
    }
    responder.played();
    expect(responder.mustConnect(), "a bad responder is believed");
    byte[] written = MEMORY.toArray(ValueLayout.JAVA_BYTE);
    int position = 0;
    for (int i = 0; i < lists.size(); i++) {
      ByteBuffer data = i < due.size() ? ByteBuffer.wrap(due.get(i)) : null;
      for (Read read : lists.get(i)) {
        int begin = (int) read.localOffset();
        expectCanaries(written, position, begin);
        position = begin + (int) read.lengthBytes();
        for (int at = begin; data != null && at < position; at++) {
          expect(written[at] == data.get(), "byte " + at + " is wrong");
        }
      }
    }
    expectCanaries(written, position, written.length);
  }

  private static void expectCanaries(byte[] written, int begin, int end) {
    for (int at = begin; at < end; at++) {
      expect(written[at] == CANARY, "byte " + at + " was written");
    }
  }

  private static List<List<Read>> lists() {
    List<List<Read>> lists = new ArrayList<>();
    long remote = 4096;
    long position = GAP;
    for (int[] lengths : LENGTHS) {
      List<Read> reads = new ArrayList<>();
      for (int length : lengths) {
        reads.add(new Read(remote, 3, REGION, position, length));
        remote += length;
        position += length + GAP;
      }
      lists.add(reads);
    }
    return lists;
  }

  /** What a reader is told by the directory. */
  private static void parseAddress(byte[] input) {
    try {
      SoftwareAddress parsed = SoftwareAddress.parse(input);
      expect(ByteBuffer.wrap(input).equals(ByteBuffer.wrap(parsed.encode())), "it's " + parsed);
    } catch (FabricException e) {
      expect(e.kind() == FabricException.Kind.BAD_ADDRESS, "the reason " + e.kind());
    }
  }

  private static void expect(boolean holds, String what) {
    if (!holds) {
      throw new AssertionError(what);
    }
  }
}
