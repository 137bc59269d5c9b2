package org.apache.spark.shuffle.rdma.doctor.path;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import org.apache.spark.shuffle.rdma.fabric.Fabric;
import org.jspecify.annotations.Nullable;

/** Reads a {@link PathServer}'s memory over the path to it, measures and compares. One thread. */
public final class PathProbe implements AutoCloseable {

  /** Of one list that is compared with the pattern. */
  private static final int VERIFY_PIECE_BYTES = 1 << 20;

  private static final double NANOS_PER_MILLI = 1e6;

  private final byte @Nullable [] secret;
  private final PathClient greeting;

  /**
   * Greets a server.
   *
   * @param secret what both sides must prove, or null
   * @throws IOException if there is none, or it refuses, with the reason
   */
  public PathProbe(String host, int port, byte @Nullable [] secret) throws IOException {
    this.secret = secret == null ? null : secret.clone();
    greeting = new PathClient(new InetSocketAddress(host, port), secret);
  }

  /** The name of the server's fabric, which the prober needs, too. */
  public String fabric() {
    return greeting.welcome().fabric();
  }

  /** The address that the server's fabric listens at. */
  public String host() {
    return greeting.welcome().host().getHostAddress();
  }

  /** What happens while a probe runs. */
  @FunctionalInterface
  public interface Progress {
    /** So many steps of all are done, and this one begins. */
    void step(int done, int all, String what);
  }

  /**
   * Connects, compares all bytes, measures in rounds, and compares again.
   *
   * @param fabric of the name that {@link #fabric()} says
   * @param sizes of pieces in bytes, 8 or more, multiples of 8
   * @param rounds 1 or more
   */
  public PathResult run(Fabric fabric, List<Long> sizes, int rounds, Progress progress)
      throws IOException {
    Welcome welcome = greeting.welcome();
    long largest = sizes.stream().mapToLong(Long::longValue).max().orElseThrow();
    if (largest > welcome.target().bytes()) {
      throw new IOException("a size of " + largest + " bytes is more than the server's memory has");
    }
    int steps = rounds * sizes.size() + 2;
    long bytes = Math.max(largest, PieceCounts.LIST_BYTES);
    try (PathClient stream = streamOnPath();
        PatternedMemory into = new PatternedMemory(fabric, bytes, Fabric.Access.LOCAL_WRITE)) {
      progress.step(0, steps, "connecting");
      long start = System.nanoTime();
      try (Reader reader = Reader.connect(fabric, welcome.address(), welcome.target(), into)) {
        double connectMillis = (System.nanoTime() - start) / NANOS_PER_MILLI;
        progress.step(0, steps, "comparing all bytes");
        long wrong = countWrong(reader, into);
        Rounds measured = new Rounds(reader, stream, into, welcome.target().bytes(), sizes, rounds);
        measured.run((done, what) -> progress.step(done + 1, steps, what));
        progress.step(steps - 1, steps, "comparing again");
        wrong += countWrong(reader, into);
        progress.step(steps, steps, "done");
        return new PathResult(
            fabric.name(),
            reader.way().name(),
            connectMillis,
            2 * welcome.target().bytes(),
            wrong,
            stream.server().getAddress().getHostAddress(),
            measured.results());
      }
    }
  }

  /** To the fabric's address, which may be of another network than the host's name. */
  private PathClient streamOnPath() throws IOException {
    int port = greeting.server().getPort();
    try {
      return new PathClient(new InetSocketAddress(greeting.welcome().host(), port), secret);
    } catch (IOException e) {
      return new PathClient(greeting.server(), secret);
    }
  }

  private long countWrong(Reader reader, PatternedMemory into) throws IOException {
    Target target = greeting.welcome().target();
    long wrong = 0;
    long from = 0;
    while (from < target.bytes()) {
      long left = Math.min(into.region().length(), target.bytes() - from);
      long piece = Math.min(VERIFY_PIECE_BYTES, left);
      int pieces = (int) (left / piece);
      into.clear();
      reader.read(from, piece, pieces);
      wrong += into.countWrong(target.seed(), from, piece * pieces);
      from += piece * pieces;
    }
    return wrong;
  }

  /** Says goodbye to the server. */
  @Override
  public void close() {
    greeting.close();
  }
}
