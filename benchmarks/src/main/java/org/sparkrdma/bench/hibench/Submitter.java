package org.sparkrdma.bench.hibench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.sparkrdma.it.cluster.StandaloneCluster;
import org.sparkrdma.it.cluster.Submission;

/** Starts applications: on a cluster of this process, or on one that was there before. */
@FunctionalInterface
interface Submitter {

  /** Starts one and gives its driver; what it prints goes to a log. */
  Running submit(Submission submission) throws IOException, InterruptedException;

  /** An application's driver, and the file that has what it prints. */
  record Running(ProcessHandle driver, Path log, Exit exit) {}

  /** Waits for the driver's end. */
  @FunctionalInterface
  interface Exit {
    int await() throws IOException, InterruptedException;
  }

  /** On a cluster on loopback. */
  static Submitter to(StandaloneCluster cluster) {
    return submission -> {
      var application = cluster.submit(submission);
      return new Running(application.process(), application.log(), application::awaitExit);
    };
  }

  /**
   * By {@code bin/spark-submit}, in client mode.
   *
   * @param logs folder of the drivers' logs
   */
  static Submitter to(String master, Path sparkHome, Path logs) {
    return submission -> {
      List<String> command = new ArrayList<>();
      command.add(sparkHome.resolve("bin/spark-submit").toString());
      command.addAll(List.of("--master", master, "--deploy-mode", "client"));
      command.addAll(List.of("--class", submission.mainClass()));
      for (Map.Entry<String, String> setting : submission.conf().entrySet()) {
        command.addAll(List.of("--conf", setting.getKey() + "=" + setting.getValue()));
      }
      if (!submission.jars().isEmpty()) {
        command.add("--jars");
        command.add(
            submission.jars().stream().map(Path::toString).collect(Collectors.joining(",")));
      }
      command.add(submission.applicationJar().toString());
      command.addAll(submission.arguments());
      Files.createDirectories(logs);
      Path log = logs.resolve(submission.name() + ".log");
      Process process =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(log.toFile())
              .start();
      process.getOutputStream().close();
      return new Running(process.toHandle(), log, process::waitFor);
    };
  }
}
