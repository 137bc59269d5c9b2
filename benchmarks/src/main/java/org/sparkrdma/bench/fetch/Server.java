package org.sparkrdma.bench.fetch;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.sparkrdma.bench.JavaCommand;

/** The serving process, as the client has it. It ends with its standard input. One thread. */
final class Server implements AutoCloseable {

  private static final long END_SECONDS = 20;

  private final Process process;
  private final BufferedReader output;
  private final Writer input;
  private final List<String> ready;

  private Server(Process process) throws IOException {
    this.process = process;
    this.output = process.inputReader(StandardCharsets.UTF_8);
    this.input = process.outputWriter(StandardCharsets.UTF_8);
    this.ready = List.of(answer(BlockServer.READY).split(" ", -1));
  }

  /**
   * Starts it, and waits until its map outputs are written and published.
   *
   * @param folder for its files, which stay there
   * @param fabric the settings of its fabric, as words of its command line
   */
  static Server start(Path folder, long bytes, List<String> fabric) throws IOException {
    List<String> command =
        new ArrayList<>(JavaCommand.withSpark("fetch-serve", FetchCommand.MAX_HEAP));
    command.addAll(List.of("--folder", folder.toString(), "--bytes", Long.toString(bytes)));
    command.addAll(fabric);
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    try {
      return new Server(process);
    } catch (IOException | RuntimeException e) {
      process.destroyForcibly();
      throw e;
    }
  }

  /** The rest of the next line that begins with this word. */
  private String answer(String word) throws IOException {
    for (String line = output.readLine(); line != null; line = output.readLine()) {
      if (line.startsWith(word + " ")) {
        return line.substring(word.length() + 1);
      }
    }
    throw new IOException("the serving process ended");
  }

  /** CPU time that it took since its start, in ns. */
  long cpuNanos() throws IOException {
    input.write("cpu\n");
    input.flush();
    return Long.parseLong(answer(BlockServer.CPU));
  }

  int driverPort() {
    return Integer.parseInt(ready.get(0));
  }

  String host() {
    return ready.get(1);
  }

  /** Of its block manager. */
  int port() {
    return Integer.parseInt(ready.get(2));
  }

  String executorId() {
    return ready.get(3);
  }

  @Override
  public void close() throws IOException {
    input.close();
    try {
      if (!process.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
