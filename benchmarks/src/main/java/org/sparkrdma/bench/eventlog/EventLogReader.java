package org.sparkrdma.bench.eventlog;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.MalformedInputException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Reads a log of one JSON object for each line. One reader for one log. */
final class EventLogReader {

  private static final String ROLLING_FOLDER = "eventlog_v2_";
  private static final String ROLLING_FILE = "events_";

  private final ObjectMapper json = new ObjectMapper();
  private final Map<List<Integer>, StageFigures> stages = new LinkedHashMap<>();
  private String applicationId = "";
  private String applicationName = "";
  private long startMillis;
  private long endMillis;

  EventLog read(Path log) throws IOException {
    for (Path file : files(log)) {
      readFile(file);
    }
    if (applicationId.isEmpty()) {
      throw new IOException(log + " has no start of an application: it isn't Spark's event log");
    }
    return new EventLog(
        applicationId, applicationName, startMillis, endMillis, List.copyOf(stages.values()));
  }

  /** In their order: a rolling log's are {@code events_1_ID}, {@code events_2_ID}, ... */
  private static List<Path> files(Path log) throws IOException {
    if (!Files.isDirectory(log)) {
      return List.of(log);
    }
    if (!String.valueOf(log.toAbsolutePath().getFileName()).startsWith(ROLLING_FOLDER)) {
      throw new IOException(log + " is a folder, but not that of a rolling event log");
    }
    try (Stream<Path> entries = Files.list(log)) {
      return entries
          .filter(file -> String.valueOf(file.getFileName()).startsWith(ROLLING_FILE))
          .sorted(Comparator.comparingLong(EventLogReader::number))
          .toList();
    }
  }

  private static long number(Path rolled) {
    String name = String.valueOf(rolled.getFileName()).substring(ROLLING_FILE.length());
    return Long.parseLong(name.substring(0, name.indexOf('_')));
  }

  private void readFile(Path file) throws IOException {
    try (BufferedReader lines = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        // The last line of a log that was cut off.
        if (line.endsWith("}")) {
          event(json.readTree(line));
        }
      }
    } catch (MalformedInputException | JsonProcessingException e) {
      throw new IOException(
          file + " isn't plain JSON; Spark writes that with spark.eventLog.compress=false", e);
    }
  }

  private void event(JsonNode event) {
    switch (event.path("Event").asText()) {
      case "SparkListenerApplicationStart" -> {
        applicationId = event.path("App ID").asText();
        applicationName = event.path("App Name").asText();
        startMillis = event.path("Timestamp").asLong();
        endMillis = startMillis;
      }
      case "SparkListenerApplicationEnd" -> endMillis = event.path("Timestamp").asLong();
      case "SparkListenerStageSubmitted" -> submitted(event);
      case "SparkListenerStageCompleted" -> completed(event.path("Stage Info"));
      case "SparkListenerTaskEnd" -> ended(event);
      default -> {
        // Says nothing that is asked for here.
      }
    }
  }

  private void submitted(JsonNode event) {
    JsonNode stage = event.path("Stage Info");
    long time = stage.path("Submission Time").asLong();
    StageFigures figures =
        new StageFigures(
            stage.path("Stage ID").asInt(),
            stage.path("Stage Attempt ID").asInt(),
            stage.path("Stage Name").asText(),
            event.path("Properties").path("spark.jobGroup.id").asText(),
            time,
            time,
            TaskFigures.NONE);
    stages.put(key(stage), figures);
    endMillis = Math.max(endMillis, time);
  }

  private void completed(JsonNode stage) {
    long end = stage.path("Completion Time").asLong();
    // That of the first task, which is later than what the submission said.
    long start = stage.path("Submission Time").asLong();
    stages.computeIfPresent(
        key(stage),
        (_, old) ->
            new StageFigures(
                old.stage(), old.attempt(), old.name(), old.group(), start, end, old.tasks()));
    endMillis = Math.max(endMillis, end);
  }

  private void ended(JsonNode event) {
    TaskFigures task = task(event.path("Task Metrics"));
    stages.computeIfPresent(
        key(event),
        (_, old) ->
            new StageFigures(
                old.stage(),
                old.attempt(),
                old.name(),
                old.group(),
                old.submittedMillis(),
                old.completedMillis(),
                old.tasks().plus(task)));
  }

  private static List<Integer> key(JsonNode stage) {
    return List.of(stage.path("Stage ID").asInt(), stage.path("Stage Attempt ID").asInt());
  }

  /** Zeros where the metrics are missing: Spark has none of a task whose executor was lost. */
  private static TaskFigures task(JsonNode metrics) {
    JsonNode read = metrics.path("Shuffle Read Metrics");
    return new TaskFigures(
        1,
        metrics.path("Executor CPU Time").asLong(),
        metrics.path("Executor Run Time").asLong(),
        read.path("Fetch Wait Time").asLong(),
        metrics.path("Shuffle Write Metrics").path("Shuffle Bytes Written").asLong(),
        read.path("Remote Bytes Read").asLong(),
        read.path("Local Bytes Read").asLong(),
        read.path("Remote Blocks Fetched").asLong(),
        read.path("Local Blocks Fetched").asLong());
  }
}
