package org.sparkrdma.bench.jobs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;
import java.util.Optional;
import org.sparkrdma.it.terasort.Report;

/**
 * Requests and answers between two processes, as files in a folder: numbered from 1, and each there
 * as a whole or not at all. One thread on each side.
 */
record Mailbox(Path folder) {

  /** How often who waits looks. */
  static final long POLL_MILLIS = 20;

  void request(int number, Map<String, String> values) throws IOException {
    put("request-" + number, values);
  }

  void answer(int number, Map<String, String> values) throws IOException {
    put("answer-" + number, values);
  }

  /** Empty if it isn't there yet. */
  Optional<Report> request(int number) throws IOException {
    return get("request-" + number);
  }

  /** Empty if it isn't there yet. */
  Optional<Report> answer(int number) throws IOException {
    return get("answer-" + number);
  }

  private void put(String name, Map<String, String> values) throws IOException {
    Path part = folder.resolve(name + ".part");
    new Report(values).save(part);
    Files.move(part, folder.resolve(name), StandardCopyOption.ATOMIC_MOVE);
  }

  private Optional<Report> get(String name) throws IOException {
    Path file = folder.resolve(name);
    return Files.exists(file) ? Optional.of(Report.load(file)) : Optional.empty();
  }
}
