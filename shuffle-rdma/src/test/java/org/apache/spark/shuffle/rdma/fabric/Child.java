package org.apache.spark.shuffle.rdma.fabric;

import java.io.BufferedReader;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A child JVM of this test; closing it kills it, stopped or not. */
public final class Child implements AutoCloseable {

  private final Process process;
  private final BufferedReader output;

  private Child(Process process) {
    this.process = process;
    this.output = process.inputReader(StandardCharsets.UTF_8);
  }

  /**
   * Starts it with the test's class path.
   *
   * @param prefix a command that runs it, such as setpriv with its options
   */
  public static Child start(List<String> prefix, Class<?> main, String... args) throws IOException {
    List<String> command = new ArrayList<>(prefix);
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(
        List.of("--enable-native-access=ALL-UNNAMED", "-Xmx128m", "-Dlog4j2.level=WARN", "-cp"));
    command.add(System.getProperty("java.class.path"));
    command.add(main.getName());
    command.addAll(Arrays.asList(args));
    return new Child(new ProcessBuilder(command).redirectError(Redirect.INHERIT).start());
  }

  /** The words of the first line that starts with this one. */
  public String[] await(String word) throws IOException {
    for (String line = output.readLine(); line != null; line = output.readLine()) {
      System.out.println("child " + process.pid() + ": " + line);
      if (line.startsWith(word + " ")) {
        return line.split(" ", -1);
      }
    }
    throw new IOException("the child ended without a line of " + word);
  }

  public List<String> lines() {
    return output.lines().toList();
  }

  /** Writes a line to its standard input. */
  public void enter(String line) throws IOException {
    process.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
    process.getOutputStream().flush();
  }

  /** Sends a signal to this child alone. */
  public void signal(String name) throws Exception {
    Process kill =
        new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).inheritIO().start();
    if (kill.waitFor() != 0) {
      throw new IOException("kill -" + name + " failed");
    }
  }

  /** Stops it and returns when all of its threads are. */
  public void stop() throws Exception {
    signal("STOP");
    Path stat = Path.of("/proc", Long.toString(process.pid()), "stat");
    while (!Files.readString(stat, StandardCharsets.UTF_8).contains(") T ")) {
      TimeUnit.MILLISECONDS.sleep(5);
    }
  }

  /** Kills it, stopped or not, and returns when it is gone. */
  public void kill() {
    process.destroyForcibly();
    Process _ = process.onExit().join();
  }

  @Override
  public void close() {
    kill();
  }
}
