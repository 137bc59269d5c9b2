package org.apache.spark.shuffle.rdma.fuzz;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Runs Jazzer, which guides its inputs by what code they reach, on one target in a JVM of its own:
 * a hang or an exhausted heap fails the test and doesn't end it.
 */
final class Fuzzer {

  /** Only a hang takes this long for one input, however busy the machine. */
  private static final int INPUT_SECONDS = 300;

  /** For starting and for merging, on a busy machine. */
  private static final int SPARE_SECONDS = 600;

  private static final String OURS = "org.apache.spark.shuffle.rdma.**";

  private static final Pattern EXECUTED =
      Pattern.compile("stat::number_of_executed_units:\\s*(\\d+)");

  private final Target target;
  private final Path directory;

  /**
   * @param directory for the corpus, the log and the inputs that fail
   */
  Fuzzer(Target target, Path directory) {
    this.target = target;
    this.directory = directory;
  }

  private Path corpus() {
    return directory.resolve("corpus");
  }

  private Path log() {
    return directory.resolve("log.txt");
  }

  /** Fuzzes, from the kept inputs and what earlier runs have found; returns the executions. */
  long run(int seconds, int seed) throws IOException, InterruptedException {
    Files.createDirectories(corpus());
    write(target.seeds(), corpus());
    start(
        seconds,
        "-max_total_time=" + seconds,
        "-seed=" + seed,
        "-max_len=4096",
        "-print_final_stats=1",
        corpus().toString());
    Matcher executed = EXECUTED.matcher(Files.readString(log(), StandardCharsets.UTF_8));
    return executed.find() ? Long.parseLong(executed.group(1)) : 0;
  }

  /** Keeps of the corpus what together reaches as much as all of it. */
  void keepCorpus() throws IOException, InterruptedException {
    Path merged = Files.createTempDirectory(directory, "merged");
    start(0, "-merge=1", merged.toString(), corpus().toString());
    List<byte[]> inputs = new ArrayList<>();
    try (Stream<Path> files = Files.list(merged)) {
      for (Path file : files.toList()) {
        inputs.add(Files.readAllBytes(file));
      }
    }
    target.keep(inputs);
  }

  private static void write(List<byte[]> seeds, Path to) throws IOException {
    for (int i = 0; i < seeds.size(); i++) {
      Files.write(to.resolve("kept-" + i), seeds.get(i));
    }
  }

  private void start(int seconds, String... arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(
        List.of(
            "-Xmx512m",
            "-XX:+EnableDynamicAgentLoading",
            "--enable-native-access=ALL-UNNAMED",
            "--sun-misc-unsafe-memory-access=allow",
            "-Dlog4j2.level=ERROR",
            "-cp",
            System.getProperty("java.class.path"),
            "com.code_intelligence.jazzer.Jazzer",
            "--target_class=" + target.className(),
            "--instrumentation_includes=" + OURS,
            "--custom_hook_includes=" + OURS,
            // The targets connect to sockets of their own.
            "--disabled_hooks=com.code_intelligence.jazzer.sanitizers.ServerSideRequestForgery",
            "--reproducer_path=" + directory,
            "-artifact_prefix=" + directory + "/",
            "-timeout=" + INPUT_SECONDS,
            // What libFuzzer takes for this process's peak is that of the JVM that started it,
            // which Linux hands down. The heap has a limit of its own.
            "-rss_limit_mb=0"));
    command.addAll(Arrays.asList(arguments));
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(Redirect.to(log().toFile()))
            .start();
    try {
      if (!process.waitFor(seconds + SPARE_SECONDS, TimeUnit.SECONDS)) {
        throw new AssertionError("Jazzer doesn't end: " + tail());
      }
    } finally {
      process.destroyForcibly();
    }
    if (process.exitValue() != 0) {
      throw new AssertionError(target + " failed, its input is in " + directory + ":\n" + tail());
    }
  }

  private String tail() throws IOException {
    List<String> lines = Files.readAllLines(log(), StandardCharsets.UTF_8);
    return String.join("\n", lines.subList(Math.max(0, lines.size() - 60), lines.size()));
  }
}
