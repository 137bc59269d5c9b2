package org.sparkrdma.it.cluster;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Spark's standalone cluster on loopback: a master and workers in processes of their own, on free
 * ports, with all files in one temporary folder.
 *
 * <p>Life cycle: {@link #start}, then any number of {@link #submit}, then {@link #close}, which
 * ends every process of the cluster, executors and drivers too, and removes the folder unless it
 * should be kept. The same happens when this process ends without closing, by Ctrl-C or SIGKILL.
 * Any thread may submit. Other drivers may connect to {@link #masterUrl()}; their executors are the
 * cluster's, they themselves aren't.
 */
public final class StandaloneCluster implements AutoCloseable {

  /** What every submission starts from; its own settings win. */
  public static final Map<String, String> DEFAULT_CONF =
      Map.of(
          // Else two executors on one host read each other's files and fetch nothing.
          "spark.shuffle.readHostLocalDisk", "false",
          "spark.ui.enabled", "false",
          "spark.executor.memory", "1g",
          // Jobs start when all executors are there, so that work spreads over them.
          "spark.scheduler.minRegisteredResourcesRatio", "1.0",
          "spark.scheduler.maxRegisteredResourcesWaitingTime", "60s");

  /** A few seconds on an idle machine; builds share theirs with much else. */
  private static final Duration READY = Duration.ofMinutes(3);

  private static final Pattern MASTER_URL =
      Pattern.compile("Starting Spark master at (spark://[^\\s\"]+)");
  private static final Pattern REGISTERED =
      Pattern.compile("Successfully registered with master (\\S+)");

  private final SparkHome home;
  private final ClusterOptions options;
  private final Path directory;
  private final MarkedProcesses processes;
  private final AtomicInteger submissions = new AtomicInteger();
  private final Thread hook = new Thread(this::closeAtExit, "standalone-cluster-close");
  private @Nullable String masterUrl;
  private boolean closed;

  private StandaloneCluster(SparkHome home, ClusterOptions options) throws IOException {
    this.home = home;
    this.options = options;
    this.directory = Files.createTempDirectory(options.parent(), "spark-rdma-cluster-");
    for (String folder : List.of("conf", "local", "logs", "tmp", "work")) {
      Files.createDirectory(directory.resolve(folder));
    }
    Files.write(
        directory.resolve("conf").resolve("spark-defaults.conf"),
        options.conf().entrySet().stream()
            .map(setting -> setting.getKey() + " " + setting.getValue())
            .toList());
    this.processes = new MarkedProcesses(options.keep() ? "" : directory.toString());
  }

  /**
   * Starts a master and workers, and returns when all workers have registered.
   *
   * @throws ClusterException if one doesn't come up; nothing is left behind then
   */
  public static StandaloneCluster start(SparkHome home, ClusterOptions options)
      throws IOException, InterruptedException {
    StandaloneCluster cluster = new StandaloneCluster(home, options);
    boolean started = false;
    try {
      Runtime.getRuntime().addShutdownHook(cluster.hook);
      cluster.startDaemons();
      started = true;
      return cluster;
    } finally {
      if (!started) {
        cluster.close();
      }
    }
  }

  private void startDaemons() throws IOException, InterruptedException {
    LoggedProcess master =
        launch(
            "master",
            List.of(
                "org.apache.spark.deploy.master.Master",
                "--host",
                "127.0.0.1",
                "--port",
                "0",
                "--webui-port",
                "0"));
    String url = master.awaitLine(MASTER_URL, READY);
    masterUrl = url;
    List<LoggedProcess> workers = new ArrayList<>();
    for (int i = 1; i <= options.workers(); i++) {
      Path work = Files.createDirectory(directory.resolve("work").resolve("worker-" + i));
      workers.add(
          launch(
              "worker-" + i,
              List.of(
                  "org.apache.spark.deploy.worker.Worker",
                  // An address each, as hosts have: Spark runs no speculative copy of a task on
                  // the host that the task itself runs on.
                  "--host",
                  options.host(i),
                  "--webui-port",
                  "0",
                  "--cores",
                  Integer.toString(options.coresPerWorker()),
                  "--memory",
                  options.memoryPerWorkerMb() + "m",
                  "--work-dir",
                  work.toString(),
                  url)));
    }
    for (LoggedProcess worker : workers) {
      worker.awaitLine(REGISTERED, READY);
    }
  }

  /** The address for {@code spark.master}. */
  public String masterUrl() {
    String url = masterUrl;
    if (url == null) {
      throw new IllegalStateException("the cluster hasn't started");
    }
    return url;
  }

  /**
   * The cluster's own folder: {@code logs/} has the output of the master, the workers and the
   * drivers; {@code work/worker-N/APPLICATION/EXECUTOR/stderr} has the executors'.
   */
  public Path directory() {
    return directory;
  }

  /** All live processes: master, workers, drivers that were submitted, executors. */
  public List<ProcessHandle> processes() {
    return processes.find();
  }

  /** Starts spark-submit, in client mode unless its settings say otherwise, and doesn't wait. */
  public Application submit(Submission submission) throws IOException, InterruptedException {
    Map<String, String> conf = new TreeMap<>(DEFAULT_CONF);
    conf.put("spark.executor.defaultJavaOptions", temporaryFolderOption());
    conf.putAll(submission.conf());
    List<String> command = new ArrayList<>();
    command.add("org.apache.spark.deploy.SparkSubmit");
    command.addAll(List.of("--master", masterUrl()));
    command.addAll(List.of("--class", submission.mainClass()));
    conf.forEach((key, value) -> command.addAll(List.of("--conf", key + "=" + value)));
    if (!submission.jars().isEmpty()) {
      command.add("--jars");
      // As URIs: Spark takes a plain path with a space or a comma in it for something else.
      command.add(
          submission.jars().stream()
              .map(jar -> jar.toUri().toString().replace(",", "%2C"))
              .collect(Collectors.joining(",")));
    }
    command.add(submission.applicationJar().toUri().toString());
    command.addAll(submission.arguments());
    String name = "driver-" + submissions.incrementAndGet() + "-" + submission.name();
    return new Application(launch(name, command), submission.timeout());
  }

  private LoggedProcess launch(String name, List<String> classAndArguments)
      throws IOException, InterruptedException {
    Map<String, String> environment = environment();
    List<String> command = home.command(environment, classAndArguments);
    Path log = directory.resolve("logs").resolve(name + ".log");
    return LoggedProcess.start(name, command, environment, directory.resolve("tmp"), log);
  }

  private Map<String, String> environment() {
    String temporary = temporaryFolderOption();
    Map<String, String> environment = new LinkedHashMap<>();
    environment.put(MarkedProcesses.VARIABLE, processes.mark());
    environment.put("JAVA_HOME", home.javaHome().toString());
    environment.put("SPARK_HOME", home.directory().toString());
    environment.put("SPARK_SCALA_VERSION", "2.13");
    environment.put("SPARK_CONF_DIR", directory.resolve("conf").toString());
    environment.put("SPARK_LOCAL_DIRS", directory.resolve("local").toString());
    environment.put("SPARK_LOCAL_IP", "127.0.0.1");
    environment.put("SPARK_LOCAL_HOSTNAME", "127.0.0.1");
    environment.put("SPARK_DAEMON_MEMORY", "256m");
    // Masters and workers live shortly and do little: what counts is that they start fast.
    environment.put(
        "SPARK_DAEMON_JAVA_OPTS", temporary + " -XX:TieredStopAtLevel=1 -XX:+UseSerialGC");
    environment.put("SPARK_SUBMIT_OPTS", temporary);
    environment.put("SPARK_MASTER_OPTS", "-Dspark.master.rest.enabled=false");
    return environment;
  }

  /** Native libraries are unpacked there, and a killed process can't remove its own. */
  private String temporaryFolderOption() {
    return "\"-Djava.io.tmpdir=" + directory.resolve("tmp") + "\"";
  }

  private void closeAtExit() {
    try {
      close();
    } catch (IOException e) {
      System.err.println("Closing the cluster: " + e.getMessage());
    }
  }

  /**
   * Ends every process of the cluster and removes its folder. Idempotent.
   *
   * @throws ClusterException if a process can't be ended, which names it
   */
  @Override
  public synchronized void close() throws IOException {
    if (closed) {
      return;
    }
    closed = true;
    if (Thread.currentThread() != hook) {
      try {
        Runtime.getRuntime().removeShutdownHook(hook);
      } catch (IllegalStateException e) {
        // This process is ending; the hook waits for this close and then finds nothing to do.
      }
    }
    processes.close();
    if (!options.keep()) {
      delete(directory);
    }
  }

  private static void delete(Path root) throws IOException {
    Files.walkFileTree(
        root,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            Files.deleteIfExists(file);
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFileFailed(Path file, IOException e) throws IOException {
            if (e instanceof NoSuchFileException) {
              return FileVisitResult.CONTINUE;
            }
            throw e;
          }

          @Override
          public FileVisitResult postVisitDirectory(Path folder, @Nullable IOException e)
              throws IOException {
            Files.deleteIfExists(folder);
            return FileVisitResult.CONTINUE;
          }
        });
  }
}
