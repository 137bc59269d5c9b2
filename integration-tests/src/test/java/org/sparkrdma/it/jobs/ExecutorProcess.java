package org.sparkrdma.it.jobs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;
import org.apache.spark.SparkEnv;

/**
 * An executor of an application, as the operating system sees it: what signals it and damages its
 * files.
 *
 * @param id Spark's
 * @param directories where it keeps its shuffle files
 */
record ExecutorProcess(String id, long pid, List<Path> directories) {

  /** Executors that run tasks now, by Spark's id. */
  static List<ExecutorProcess> all(TestApplication application) {
    TreeMap<String, ExecutorProcess> found = new TreeMap<>();
    application
        .context
        .parallelize(List.of(1, 2, 3, 4), 4)
        .map(
            i -> {
              // Long enough for the other executor to get one too.
              Thread.sleep(50);
              return here();
            })
        .collect()
        .forEach(words -> found.put(words.getFirst(), parse(words)));
    return List.copyOf(found.values());
  }

  /** As words, since tasks' results are better no classes of the test's. */
  private static ArrayList<String> here() {
    ArrayList<String> words = new ArrayList<>();
    words.add(SparkEnv.get().executorId());
    words.add(Long.toString(ProcessHandle.current().pid()));
    Arrays.stream(SparkEnv.get().blockManager().diskBlockManager().localDirs())
        .forEach(directory -> words.add(directory.toString()));
    return words;
  }

  private static ExecutorProcess parse(List<String> words) {
    return new ExecutorProcess(
        words.get(0),
        Long.parseLong(words.get(1)),
        words.stream().skip(2).map(directory -> Path.of(directory)).toList());
  }

  /** The data files of a shuffle's outputs that it wrote. */
  List<Path> dataFiles(int shuffleId) throws IOException {
    String prefix = "shuffle_" + shuffleId + "_";
    List<Path> files = new ArrayList<>();
    for (Path directory : directories) {
      try (var all = Files.walk(directory)) {
        all.filter(file -> isData(file.toFile().getName(), prefix)).forEach(files::add);
      }
    }
    if (files.isEmpty()) {
      throw new IOException("executor " + id + " has no file of shuffle " + shuffleId);
    }
    return files;
  }

  private static boolean isData(String name, String prefix) {
    return name.startsWith(prefix) && name.endsWith(".data");
  }

  /** Lets no thread of it run, until {@link #resume}. */
  void stop() throws IOException, InterruptedException {
    Signals.send("STOP", pid);
  }

  void resume() throws IOException, InterruptedException {
    Signals.send("CONT", pid);
  }

  void kill() throws IOException, InterruptedException {
    Signals.send("KILL", pid);
  }
}
