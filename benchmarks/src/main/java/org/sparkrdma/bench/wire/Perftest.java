package org.sparkrdma.bench.wire;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import java.util.concurrent.TimeUnit;

/**
 * Runs a server and a client of perftest on this machine, for one number. The options that matter:
 * {@code -e} sleeps until completion events, as a shuffle does. iWARP needs {@code -R}, which
 * connects by rdma_cm, and then the server polls while its client measures; where it isn't needed
 * it's left out, and the server sleeps. Reads in the send queue and reads for each completion are
 * perftest's own defaults ({@link ReadLoop} does the same): with fewer reads for each completion,
 * ib_read_bw can hang, since it polls once for an event and then waits for the next.
 */
final class Perftest {

  private static final int MAX_TRIES = 30;
  private static final long CLIENT_SECONDS = 20;
  private static final long SERVER_SECONDS = 5;
  private static final long PAUSE_MILLIS = 50;
  private static final int TAIL_CHARACTERS = 1_000;

  private final String address;
  private final int outstanding;
  private final String device;
  private final boolean iwarp;

  /**
   * @param device name of the device that has the address
   * @param iwarp whether that's iWARP
   */
  Perftest(String address, int outstanding, String device, boolean iwarp) {
    this.address = address;
    this.outstanding = outstanding;
    this.device = device;
    this.iwarp = iwarp;
  }

  /** Programs that this needs and PATH doesn't have. */
  static List<String> missing() {
    List<String> programs = new ArrayList<>(List.of("ib_read_bw", "ib_read_lat", "stdbuf", "nice"));
    for (String folder : System.getenv().getOrDefault("PATH", "").split(File.pathSeparator, -1)) {
      programs.removeIf(program -> Files.isExecutable(Path.of(folder, program)));
    }
    return programs;
  }

  /** Measures once; again if perftest fails or prints no number. */
  double measure(WireCase wireCase, int reads) throws IOException, InterruptedException {
    String output = "";
    for (int attempt = 1; attempt <= MAX_TRIES; attempt++) {
      output = run(command(wireCase, reads));
      OptionalDouble value = PerftestOutput.value(wireCase.kind(), output);
      if (value.isPresent()) {
        return value.getAsDouble();
      }
    }
    throw new IOException(
        "perftest gave no number in "
            + MAX_TRIES
            + " tries of: "
            + String.join(" ", command(wireCase, reads))
            + " "
            + address
            + "\n"
            + output.substring(Math.max(0, output.length() - TAIL_CHARACTERS)));
  }

  private List<String> command(WireCase wireCase, int reads) {
    boolean latency = wireCase.kind() == WireCase.Kind.LATENCY;
    String program = latency ? "ib_read_lat" : "ib_read_bw";
    List<String> words = new ArrayList<>(List.of(program, "-F", "-e"));
    words.addAll(iwarp ? List.of("-R") : List.of("-d", device));
    words.addAll(List.of("-s", Integer.toString(wireCase.bytes()), "-n", Integer.toString(reads)));
    words.addAll(List.of("-o", Integer.toString(outstanding)));
    if (!latency) {
      // No peak: only the first and the last read are timed.
      words.add("-N");
    }
    if (wireCase.queuePairs() > 1) {
      words.addAll(List.of("-q", Integer.toString(wireCase.queuePairs())));
    }
    return words;
  }

  private String run(List<String> command) throws IOException, InterruptedException {
    Path serverOutput = Files.createTempFile("perftest-server", ".txt");
    Path clientOutput = Files.createTempFile("perftest-client", ".txt");
    List<String> serverCommand = new ArrayList<>(List.of("stdbuf", "-oL"));
    if (iwarp) {
      // On the test kernel's one processor, a polling server of normal priority halved its client's
      // bandwidth and spoilt its clock rate. Getting none at all (SCHED_IDLE) is too little to
      // connect.
      serverCommand.addAll(0, List.of("nice", "-n", "19"));
    }
    serverCommand.addAll(command);
    List<String> clientCommand = new ArrayList<>(command);
    clientCommand.add(address);
    Process server = start(serverCommand, serverOutput);
    try {
      awaitReady(server, serverOutput);
      Process client = start(clientCommand, clientOutput);
      end(client, CLIENT_SECONDS);
      return Files.readString(clientOutput);
    } finally {
      // It ends with its client, unless that failed.
      end(server, 1);
      Files.delete(serverOutput);
      Files.delete(clientOutput);
    }
  }

  private static Process start(List<String> command, Path output) throws IOException {
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(output.toFile())
        .start();
  }

  private static void awaitReady(Process server, Path output)
      throws IOException, InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SERVER_SECONDS);
    while (!Files.readString(output).contains("Waiting for client")
        && server.isAlive()
        && System.nanoTime() < end) {
      Thread.sleep(PAUSE_MILLIS);
    }
    // It says so a moment before it listens.
    Thread.sleep(PAUSE_MILLIS);
  }

  private static void end(Process process, long seconds) throws InterruptedException {
    if (!process.waitFor(seconds, TimeUnit.SECONDS)) {
      process.destroyForcibly().waitFor();
    }
  }
}
