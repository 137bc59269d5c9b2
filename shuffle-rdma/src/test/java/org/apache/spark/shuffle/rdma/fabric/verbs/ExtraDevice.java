package org.apache.spark.shuffle.rdma.fabric.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.spark.shuffle.rdma.fabric.Child;

/**
 * A further device of the test kernel, on a pair of virtual interfaces, for tests that break it.
 * Only child processes may use it: librdmacm keeps all devices open until its process ends.
 */
final class ExtraDevice implements AutoCloseable {

  static final String ADDRESS = "10.78.0.1";
  static final String NAME = "extra";

  private ExtraDevice() {}

  static ExtraDevice add() throws IOException, InterruptedException {
    run("ip", "link", "add", "veth6", "type", "veth", "peer", "name", "veth7");
    run("ip", "addr", "add", ADDRESS + "/24", "dev", "veth6");
    run("ip", "link", "set", "veth6", "up");
    run("ip", "link", "set", "veth7", "up");
    // The drivers want the interfaces' link-local addresses to be settled.
    Thread.sleep(2_000);
    String driver = String.valueOf(System.getenv("RDMA_TEST_DRIVER"));
    run("rdma", "link", "add", NAME, "type", driver, "netdev", "veth6");
    return new ExtraDevice();
  }

  void unplug() throws IOException {
    run("ip", "link", "set", "veth7", "down");
  }

  void down() throws IOException {
    run("ip", "link", "set", "veth6", "down");
  }

  void up() throws IOException {
    run("ip", "link", "set", "veth6", "up");
  }

  /** Starts to remove the device, not its interfaces. */
  Process remove() throws IOException {
    return new ProcessBuilder("rdma", "link", "delete", NAME).inheritIO().start();
  }

  boolean isThere() {
    return Files.exists(Path.of("/sys/class/infiniband", NAME));
  }

  /** A child that has this device as its only one under test. */
  Child start(Class<?> main, String... arguments) throws IOException {
    List<String> prefix = new ArrayList<>(List.of("env", "-u", "RDMA_TEST_PEER_ADDRESS"));
    prefix.add("RDMA_TEST_ADDRESS=" + ADDRESS);
    return Child.start(prefix, main, arguments);
  }

  private static void run(String... command) throws IOException {
    Process process = new ProcessBuilder(command).inheritIO().start();
    assertEquals(
        0,
        process.onExit().orTimeout(60, TimeUnit.SECONDS).join().exitValue(),
        String.join(" ", command));
  }

  @Override
  public void close() throws IOException {
    run("ip", "link", "delete", "veth6");
  }
}
