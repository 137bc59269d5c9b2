package org.sparkrdma.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.spark.shuffle.rdma.fabric.Fabric;
import org.apache.spark.shuffle.rdma.fabric.Region;
import org.apache.spark.shuffle.rdma.fabric.software.SoftwareFabric;
import org.apache.spark.shuffle.rdma.fabric.software.SoftwareOptions;

/**
 * A process of its own that registers memory and then only lets itself be read, as an executor
 * does. It ends with its standard input, so never outlives the benchmark.
 */
final class ServingPeer implements AutoCloseable {

  /** What the memory holds: its own offset, every 8 bytes. */
  static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG;

  private static final int CONNECT_MILLIS = 5_000;

  /** Proven once at connect; it costs reads nothing. */
  private static final byte[] SECRET = {1, 2, 3, 4};

  private static final long END_SECONDS = 10;

  private final Process process;
  private final byte[] fabricAddress;
  private final long memoryAddress;
  private final long key;

  private ServingPeer(Process process, byte[] fabricAddress, long memoryAddress, long key) {
    this.process = process;
    this.fabricAddress = fabricAddress;
    this.memoryAddress = memoryAddress;
    this.key = key;
  }

  /** How both sides start their fabric. */
  static SoftwareOptions options(boolean direct, String owner) {
    return new SoftwareOptions("127.0.0.1", direct, true, CONNECT_MILLIS, SECRET.clone(), owner);
  }

  static ServingPeer start(boolean direct, long bytes) throws IOException {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx128m",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                ServingPeer.class.getName(),
                Boolean.toString(direct),
                Long.toString(bytes))
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    BufferedReader output = process.inputReader(StandardCharsets.UTF_8);
    String line = output.readLine();
    if (line == null) {
      process.destroyForcibly();
      throw new IOException("the serving process ended before it was ready");
    }
    List<String> words = List.of(line.split(" ", 3));
    return new ServingPeer(
        process,
        HexFormat.of().parseHex(words.get(0)),
        Long.parseLong(words.get(1)),
        Long.parseLong(words.get(2)));
  }

  byte[] fabricAddress() {
    return fabricAddress;
  }

  long memoryAddress() {
    return memoryAddress;
  }

  long key() {
    return key;
  }

  @Override
  public void close() throws IOException {
    process.getOutputStream().close();
    try {
      if (!process.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }

  /** The process itself: {@code DIRECT BYTES}. */
  public static void main(String[] arguments) throws IOException {
    boolean direct = Boolean.parseBoolean(arguments[0]);
    long bytes = Long.parseLong(arguments[1]);
    try (Arena arena = Arena.ofShared();
        Fabric fabric = SoftwareFabric.start(options(direct, "served"))) {
      MemorySegment memory = arena.allocate(bytes, 4096);
      for (long offset = 0; offset < bytes; offset += Long.BYTES) {
        memory.set(WORD, offset, offset);
      }
      try (Region region = fabric.register(memory, Fabric.Access.REMOTE_READ)) {
        System.out.println(
            HexFormat.of().formatHex(fabric.address())
                + " "
                + region.address()
                + " "
                + region.key());
        System.out.flush();
        while (System.in.read() >= 0) {
          // Nothing comes; the end of it is the sign to end.
        }
      }
    }
  }
}
