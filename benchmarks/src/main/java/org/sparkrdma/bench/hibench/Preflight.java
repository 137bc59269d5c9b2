package org.sparkrdma.bench.hibench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Looks for all that HiBench needs, so that a run doesn't fail half-way for what could be known.
 */
final class Preflight {

  private static final long INTERPRETER_SECONDS = 30;
  private static final String SHEBANG_ENV = "#!/usr/bin/env ";

  private final Map<String, String> environment;
  private final List<String> missing = new ArrayList<>();

  private Preflight(Map<String, String> environment) {
    this.environment = environment;
  }

  /**
   * Checks everything but the input, which HiBench's own configuration names.
   *
   * @param environment with PATH, HIBENCH_HOME and SPARK_HOME
   * @param sparkHome instead of SPARK_HOME
   * @throws MissingException that says all that is missing
   */
  static HiBenchHome check(Map<String, String> environment, @Nullable Path sparkHome)
      throws IOException, InterruptedException {
    return new Preflight(environment).check(sparkHome);
  }

  private HiBenchHome check(@Nullable Path sparkHome) throws IOException, InterruptedException {
    if (onPath("bc").isEmpty()) {
      missing.add("bc: HiBench's report needs it (Debian: apt-get install bc)");
    }
    Optional<Path> hibench = folder("HIBENCH_HOME", environment.get("HIBENCH_HOME"));
    Optional<Path> spark =
        folder(
            "SPARK_HOME", sparkHome != null ? sparkHome.toString() : environment.get("SPARK_HOME"));
    if (spark.isPresent()) {
      checkSpark(spark.get());
    }
    Optional<HiBenchHome> home =
        hibench.map(directory -> new HiBenchHome(directory, spark.orElse(directory)));
    if (home.isPresent()) {
      checkHiBench(home.get());
    }
    if (!missing.isEmpty() || home.isEmpty()) {
      throw new MissingException(missing);
    }
    return home.get();
  }

  private Optional<Path> folder(String variable, @Nullable String value) {
    if (value == null || value.isEmpty()) {
      missing.add(variable + ": it isn't set");
      return Optional.empty();
    }
    Path folder = Path.of(value).toAbsolutePath().normalize();
    if (!Files.isDirectory(folder)) {
      missing.add(variable + ": there's no folder " + folder);
      return Optional.empty();
    }
    return Optional.of(folder);
  }

  private void checkSpark(Path home) throws IOException {
    if (!Files.isExecutable(home.resolve("bin/spark-submit"))) {
      missing.add("Spark: " + home.resolve("bin/spark-submit") + " isn't there");
    }
    if (!hasFile(home.resolve("jars"), "spark-core_2.13-4.2.")) {
      missing.add("Spark 4.2: " + home.resolve("jars") + " has no spark-core_2.13-4.2.*.jar");
    }
  }

  private void checkHiBench(HiBenchHome home) throws IOException, InterruptedException {
    if (!Files.isRegularFile(home.loadConfig())) {
      missing.add("HiBench: HIBENCH_HOME has no " + home.directory().relativize(home.loadConfig()));
      return;
    }
    checkPython(home.loadConfig());
    if (!hasFile(home.directory().resolve("sparkbench/assembly/target"), "sparkbench-assembly-")) {
      missing.add(
          "HiBench's sparkbench jar: build HiBench first (sparkbench/assembly/target has none)");
    }
    for (String file : List.of("hadoop.conf", "spark.conf")) {
      if (!Files.isRegularFile(home.conf().resolve(file))) {
        missing.add("HiBench's conf/" + file + ": make it of conf/" + file + ".template");
      }
    }
    String hadoop = home.setting("hibench.hadoop.executable").orElse("hadoop");
    boolean found =
        hadoop.contains("/") ? Files.isExecutable(Path.of(hadoop)) : onPath(hadoop).isPresent();
    if (!found) {
      missing.add(
          "the hadoop command: "
              + hadoop
              + " isn't there (hibench.hadoop.executable in conf/hadoop.conf)");
    }
  }

  /** By its first line: HiBench's own says python2, a port may say another. */
  private void checkPython(Path script) throws IOException, InterruptedException {
    try (Stream<String> lines = Files.lines(script)) {
      String first = lines.findFirst().orElse("");
      if (!first.startsWith(SHEBANG_ENV)) {
        return;
      }
      String python = first.substring(SHEBANG_ENV.length()).strip();
      Optional<Path> file = onPath(python);
      if (file.isEmpty() || !runs(file.get())) {
        missing.add("Python: HiBench's scripts are for " + python + ", which isn't there");
      }
    }
  }

  /** A version manager puts commands on the path that only say that there's no such version. */
  private boolean runs(Path python) throws IOException, InterruptedException {
    ProcessBuilder builder =
        new ProcessBuilder(python.toString(), "-c", "pass")
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD);
    builder.environment().putAll(environment);
    Process process = builder.start();
    boolean ended = process.waitFor(INTERPRETER_SECONDS, TimeUnit.SECONDS);
    if (!ended) {
      process.destroyForcibly();
    }
    return ended && process.exitValue() == 0;
  }

  private Optional<Path> onPath(String command) {
    return Stream.of(environment.getOrDefault("PATH", "").split(":", -1))
        .filter(folder -> !folder.isEmpty())
        .map(folder -> Path.of(folder, command))
        .filter(Files::isExecutable)
        .findFirst();
  }

  private static boolean hasFile(Path folder, String prefix) throws IOException {
    if (!Files.isDirectory(folder)) {
      return false;
    }
    try (Stream<Path> files = Files.list(folder)) {
      return files.anyMatch(file -> String.valueOf(file.getFileName()).startsWith(prefix));
    }
  }
}
