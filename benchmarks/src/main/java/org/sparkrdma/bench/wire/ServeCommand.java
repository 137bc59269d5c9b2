package org.sparkrdma.bench.wire;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.sparkrdma.bench.JavaCommand;
import org.sparkrdma.verbs.RdmaClosedException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** A {@link ReadServer} in a process of its own. It ends with its standard input. */
@Command(name = "wire-serve", hidden = true)
public final class ServeCommand implements Callable<Integer> {

  private static final String PORT = "PORT ";

  @Option(names = "--address", required = true)
  private String address = "";

  @Option(names = "--outstanding", required = true)
  private int outstanding;

  /** A running server process. */
  record Running(Process process, InetSocketAddress address) implements AutoCloseable {

    @Override
    public void close() {
      process.destroy();
    }
  }

  static Running start(String address, int outstanding) throws IOException {
    List<String> command = new ArrayList<>(JavaCommand.of("wire-serve"));
    command.addAll(List.of("--address", address));
    command.addAll(List.of("--outstanding", Integer.toString(outstanding)));
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    BufferedReader output = process.inputReader(StandardCharsets.UTF_8);
    String line = output.readLine();
    if (line == null || !line.startsWith(PORT)) {
      process.destroyForcibly();
      throw new IOException("our server didn't start" + (line == null ? "" : ": " + line));
    }
    int port = Integer.parseInt(line.substring(PORT.length()));
    return new Running(process, new InetSocketAddress(InetAddress.getByName(address), port));
  }

  @Override
  public Integer call() throws IOException {
    InetAddress host = InetAddress.getByName(address);
    try (ReadServer server = new ReadServer(new InetSocketAddress(host, 0), outstanding)) {
      Thread.ofPlatform().daemon().name("accepting").start(() -> acceptAll(server));
      System.out.println(PORT + server.address().getPort());
      System.out.flush();
      while (System.in.read() >= 0) {
        // Nothing comes; the end of it is the sign to end.
      }
    }
    return 0;
  }

  private static void acceptAll(ReadServer server) {
    try {
      while (true) {
        server.acceptOne();
      }
    } catch (RdmaClosedException e) {
      // The process ends.
    }
  }
}
