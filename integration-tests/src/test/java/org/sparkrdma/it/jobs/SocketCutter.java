package org.sparkrdma.it.jobs;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.apache.spark.storage.BlockManagerId;

/** Breaks the connections to a port, again and again, as a lost network would. */
final class SocketCutter implements AutoCloseable {

  private static final long PAUSE_MILLIS = 10;
  private static final int TRIAL_MILLIS = 3000;

  private final int port;
  private final AtomicInteger cuts = new AtomicInteger();
  private final Thread thread = Thread.ofPlatform().name("cutter").unstarted(this::run);
  private volatile boolean ended;

  SocketCutter(int port) {
    this.port = port;
  }

  /** The port on which an executor's fabric is read: it listens there beside Spark's. */
  static int fabricPort(ExecutorProcess executor) throws IOException, InterruptedException {
    List<Integer> sparks = SparkExecutors.all().stream().map(BlockManagerId::port).toList();
    List<Integer> others =
        ss("-H", "-t", "-l", "-n", "-p").stream()
            .filter(line -> line.contains("pid=" + executor.pid() + ","))
            .map(line -> line.trim().split("\\s+", -1)[3])
            .map(address -> Integer.parseInt(address.substring(address.lastIndexOf(':') + 1)))
            .filter(listening -> !sparks.contains(listening))
            .toList();
    if (others.size() != 1) {
      throw new IOException("not one port of executor " + executor + " beside Spark's: " + others);
    }
    return others.getFirst();
  }

  /** Tries it on a connection to itself: it takes root and a kernel that was built for it. */
  static boolean isPossible() throws InterruptedException {
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        Socket client = new Socket(server.getInetAddress(), server.getLocalPort());
        Socket accepted = server.accept()) {
      cut(accepted.getLocalPort());
      client.setSoTimeout(TRIAL_MILLIS);
      return client.getInputStream().read() < 0;
    } catch (SocketTimeoutException e) {
      return false;
    } catch (SocketException e) {
      return true;
    } catch (IOException e) {
      System.out.println("ss of iproute2: " + e);
      return false;
    }
  }

  void start() {
    thread.start();
  }

  /** How many connections were broken until now. */
  int cuts() {
    return cuts.get();
  }

  private void run() {
    try {
      while (!ended) {
        cuts.addAndGet(cut(port));
        Thread.sleep(PAUSE_MILLIS);
      }
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Breaks the connections that a port has accepted, and gives their number. */
  private static int cut(int port) throws IOException, InterruptedException {
    return ss("-H", "-K", "-t", "-n", "state", "established", "sport = :" + port).size();
  }

  /** Runs ss, of iproute2, and gives its lines. */
  private static List<String> ss(String... arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of("ss"));
    command.addAll(List.of(arguments));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (process.waitFor() != 0) {
      throw new IOException(command + ": " + output);
    }
    return output.lines().filter(line -> !line.isBlank()).collect(Collectors.toList());
  }

  @Override
  public void close() {
    ended = true;
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
