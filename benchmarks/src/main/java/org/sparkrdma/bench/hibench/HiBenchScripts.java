package org.sparkrdma.bench.hibench;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.sparkrdma.bench.eventlog.EventLog;
import org.sparkrdma.it.terasort.TeraRecords;

/** One workload of HiBench with a configuration of its own: its scripts, and what they leave. */
final class HiBenchScripts {

  /** Type, Date, Time, Input_data_size, Duration(s), Throughput(bytes/s), Throughput/node. */
  private static final int REPORT_COLUMNS = 7;

  private static final int DURATION_COLUMN = 4;
  private static final Pattern FILE_LINE = Pattern.compile("^-\\S+\\s.*\\s(\\S*/([^/\\s]+))$");

  private final HiBenchHome home;
  private final HiBenchWorkload workload;
  private final Path folder;
  private final Map<String, String> environment;
  private final Map<String, String> variables;

  private HiBenchScripts(
      HiBenchHome home,
      HiBenchWorkload workload,
      Path folder,
      Map<String, String> environment,
      Map<String, String> variables) {
    this.home = home;
    this.workload = workload;
    this.folder = folder;
    this.environment = environment;
    this.variables = variables;
  }

  /**
   * Writes the configuration and has HiBench's load_config.py read it.
   *
   * @param folder a new folder for the run
   * @throws IOException with what load_config.py says if it refuses
   */
  static HiBenchScripts configure(
      HiBenchHome home,
      HiBenchWorkload workload,
      Manager manager,
      String scale,
      String fabric,
      Path folder)
      throws IOException, InterruptedException {
    Path conf = HiBenchConf.write(home, manager, scale, fabric, folder);
    Map<String, String> environment = new HashMap<>();
    environment.put("HIBENCH_CONF_FOLDER", conf.toString());
    environment.put("SPARK_HOME", home.sparkHome().toString());
    environment.put("JAVA_HOME", System.getProperty("java.home"));
    Path log = folder.resolve("load_config.log");
    Process loading =
        start(
            environment,
            log,
            List.of(
                home.loadConfig().toString(),
                conf.toString(),
                home.conf().resolve("workloads/" + workload.scripts() + ".conf").toString(),
                home.script(workload, "spark").toString()));
    String printed = read(loading).strip();
    if (loading.waitFor() != 0) {
      throw new IOException(
          "HiBench's load_config.py refused " + conf + ":\n" + Files.readString(log).strip());
    }
    Path exported = Path.of(printed.lines().reduce("", (_, last) -> last));
    return new HiBenchScripts(home, workload, folder, environment, variables(exported));
  }

  /** NAME=VALUE lines, as its scripts source them. */
  private static Map<String, String> variables(Path exported) throws IOException {
    Map<String, String> variables = new HashMap<>();
    for (String line : Files.readAllLines(exported)) {
      int equals = line.indexOf('=');
      if (!line.startsWith("#") && equals > 0) {
        variables.put(line.substring(0, equals), line.substring(equals + 1));
      }
    }
    return variables;
  }

  /**
   * Runs one of the workload's scripts.
   *
   * @return its log
   * @throws IOException if it fails, with the end of the log
   */
  Path run(String script) throws IOException, InterruptedException {
    Path log = folder.resolve(script.replace('/', '-') + ".log");
    ProcessBuilder builder =
        new ProcessBuilder(home.script(workload, script).toString())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile());
    builder.environment().putAll(environment);
    Process process = builder.start();
    process.getOutputStream().close();
    int exit = process.waitFor();
    if (exit != 0) {
      List<String> lines = Files.readAllLines(log, StandardCharsets.UTF_8);
      throw new IOException(
          home.script(workload, script)
              + " failed with exit code "
              + exit
              + ". The end of "
              + log
              + ":\n"
              + String.join("\n", lines.subList(Math.max(0, lines.size() - 20), lines.size())));
    }
    return log;
  }

  /** What must be there before it can run. */
  String input() {
    return variable("INPUT_HDFS") + workload.inputSuffix();
  }

  boolean inputExists() throws IOException, InterruptedException {
    Process test = hadoop("-test", "-e", input());
    test.getInputStream().readAllBytes();
    return test.waitFor() == 0;
  }

  /** Of the only line of HiBench's report. */
  double reportedSeconds() throws IOException {
    Path report = folder.resolve("report").resolve(variable("HIBENCH_REPORT_NAME"));
    List<String> lines = Files.readAllLines(report);
    String[] words = lines.getLast().strip().split("\\s+", -1);
    if (lines.size() != 2 || words.length != REPORT_COLUMNS) {
      throw new IOException(report + " should have a title and one line of 7 columns: " + lines);
    }
    return Double.parseDouble(words[DURATION_COLUMN]);
  }

  Path countersFile() {
    return HiBenchConf.countersFile(folder);
  }

  /** One for each application that the script started. */
  List<EventLog> eventLogs() throws IOException {
    List<EventLog> logs = new ArrayList<>();
    try (Stream<Path> files = Files.list(folder.resolve("event-logs"))) {
      for (Path file :
          files.filter(path -> !String.valueOf(path.getFileName()).startsWith(".")).toList()) {
        logs.add(EventLog.read(file));
      }
    }
    return logs;
  }

  /** Of all files below HiBench's output path; none if there are none. */
  OutputSummary output() throws IOException, InterruptedException {
    OutputSummary sum = OutputSummary.NONE;
    for (String file : outputFiles()) {
      boolean records = workload.output() == HiBenchWorkload.Output.RECORDS;
      Process reading = hadoop(records ? "-cat" : "-text", file);
      OutputSummary one;
      try (InputStream in = reading.getInputStream()) {
        one = records ? OutputSummary.ofRecords(in, TeraRecords.LENGTH) : OutputSummary.ofText(in);
      }
      if (reading.waitFor() != 0) {
        throw new IOException("hadoop fs can't read " + file + "; see " + hadoopLog());
      }
      sum = sum.isCompared() ? sum.plus(one) : one;
    }
    return sum;
  }

  private List<String> outputFiles() throws IOException, InterruptedException {
    Process listing = hadoop("-ls", "-R", variable("OUTPUT_HDFS"));
    List<String> files =
        read(listing)
            .lines()
            .map(FILE_LINE::matcher)
            .filter(Matcher::matches)
            .filter(line -> !line.group(2).startsWith("_") && !line.group(2).startsWith("."))
            .map(line -> line.group(1))
            .toList();
    listing.waitFor();
    return files;
  }

  /** The number that the application printed. */
  OutputSummary printed(String log) throws IOException {
    Matcher matcher = workload.printed().orElseThrow().matcher(log);
    if (!matcher.find()) {
      throw new IOException(workload.label() + " printed no " + workload.printed().get());
    }
    return new OutputSummary(1, 0, Double.parseDouble(matcher.group(1)));
  }

  private Process hadoop(String... arguments) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(variable("HADOOP_EXECUTABLE"));
    command.addAll(List.of("--config", variable("HADOOP_CONF_DIR"), "fs"));
    command.addAll(List.of(arguments));
    return start(environment, hadoopLog(), command);
  }

  private Path hadoopLog() {
    return folder.resolve("hadoop.log");
  }

  private String variable(String name) {
    String value = variables.get(name);
    if (value == null) {
      throw new IllegalStateException("HiBench's load_config.py gave no " + name);
    }
    return value;
  }

  private static Process start(Map<String, String> environment, Path errors, List<String> command)
      throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .redirectError(ProcessBuilder.Redirect.appendTo(errors.toFile()));
    builder.environment().putAll(environment);
    Process process = builder.start();
    process.getOutputStream().close();
    return process;
  }

  private static String read(Process process) throws IOException {
    try (InputStream in = process.getInputStream()) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
